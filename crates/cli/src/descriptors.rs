//! How many descriptors the process may have: as many as the system lets it, since each connection is one.

/// Descriptors that connections may not use: the database, packs, and calls to providers need descriptors too.
const OTHERS: usize = 4;

/// Raises the limit as far as it goes, and returns it.
pub(crate) fn raise() -> usize {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: reads into the struct it is given, which lives for the call.
    if unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) } != 0 {
        return usize::MAX;
    }
    let most = libc::rlimit { rlim_cur: limit.rlim_max, ..limit };
    // SAFETY: reads the struct it is given; a refusal leaves the limit as it is.
    if unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const most) } == 0 {
        limit = most;
    }
    usize::try_from(limit.rlim_cur).unwrap_or(usize::MAX)
}

/// The room there is for as many connections as are wished, under a limit of descriptors.
pub(crate) fn room(wished: usize, descriptors: usize) -> server::Room {
    let usual = server::Room::default();
    let most = descriptors - descriptors / OTHERS;
    let reserve = usual.reserve.min(most / 8);
    server::Room { connections: wished.min(most - reserve).max(1), reserve }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_descriptors_to_the_rest_and_keep_a_reserve() {
        let cases = [
            ((10_000, 1_024), (704, 64)),
            ((10_000, 1_048_576), (10_000, 64)),
            ((500, 1_024), (500, 64)),
            ((10_000, 64), (42, 6)),
            ((10_000, usize::MAX), (10_000, 64)),
        ];
        for ((wished, descriptors), (connections, reserve)) in cases {
            assert_eq!(room(wished, descriptors), server::Room { connections, reserve });
        }
    }
}
