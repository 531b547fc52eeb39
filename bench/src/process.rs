//! What the system knows of a process: its memory and the processor time it took.

use std::fs;

/// The kernel counts processor time in hundredths of a second on every Linux of today.
const TICKS_PER_SECOND: f64 = 100.0;

/// Resident memory now, in MiB.
pub(crate) fn rss_mib(pid: u32) -> f64 {
    status(pid, "VmRSS:")
}

/// The most it ever had resident, in MiB.
pub(crate) fn peak_rss_mib(pid: u32) -> f64 {
    status(pid, "VmHWM:")
}

fn status(pid: u32, field: &str) -> f64 {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(field));
    let kib = line.and_then(|rest| rest.split_whitespace().next()?.parse::<f64>().ok());
    kib.unwrap_or(0.0) / 1024.0
}

/// Seconds of processor time taken so far, in user and kernel mode.
pub(crate) fn cpu_seconds(pid: u32) -> f64 {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The name, in brackets, may hold spaces; the fields after it do not.
    let fields = text.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace();
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>()
        / TICKS_PER_SECOND
}
