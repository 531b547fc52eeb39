//! The machine the figures are from.

use std::fs;
use std::process::Command;

pub(crate) fn describe() -> String {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let (cpuinfo, meminfo) = (read("/proc/cpuinfo"), read("/proc/meminfo"));
    let model = field(&cpuinfo, "model name").unwrap_or("unknown processor");
    let memory_kib = field(&meminfo, "MemTotal")
        .and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let kernel = read("/proc/sys/kernel/osrelease");
    let rustc = Command::new("rustc").arg("--version").output().ok();
    let rustc = rustc.and_then(|output| String::from_utf8(output.stdout).ok()).unwrap_or_default();
    format!(
        "{cores} cores ({model}), {:.0} GiB, Linux {}, {}, load {}",
        memory_kib.unwrap_or(0.0) / 1024.0 / 1024.0,
        kernel.trim(),
        if rustc.is_empty() { "rustc not found" } else { rustc.trim() },
        read("/proc/loadavg").split(' ').take(3).collect::<Vec<_>>().join(" "),
    )
}

fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let line = text.lines().find(|line| line.starts_with(name))?;
    Some(line.split_once(':')?.1.trim())
}
