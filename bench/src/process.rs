//! A process as the system knows it: its memory, its descriptors and the processor time it took.

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

/// Gives back what only learning a pack needed, as a node does before it serves, and counts the most
/// that this process has resident from here on.
pub(crate) fn count_peak_from_here() {
    // SAFETY: may be called at any time, from any thread; it touches only memory that is free.
    unsafe { libmimalloc_sys::mi_collect(true) };
    // Where the kernel refuses, the peak of the start is counted too.
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// Has memory given in pages of its usual size, as a node does.
pub(crate) fn in_small_pages() {
    // SAFETY: changes nothing but how the kernel backs this process's memory from now on.
    unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, 1, 0, 0, 0) };
}

/// How many descriptors it has open.
pub(crate) fn descriptors(pid: u32) -> usize {
    fs::read_dir(format!("/proc/{pid}/fd")).map_or(0, Iterator::count)
}

/// Allows this process as many descriptors as it may allow itself.
pub(crate) fn raise_descriptors() {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: both read or write the struct they are given, which lives for the calls.
    unsafe {
        if libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) == 0 {
            limit.rlim_cur = limit.rlim_max;
            // Where it is refused, connections fail and say so.
            libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit);
        }
    }
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
