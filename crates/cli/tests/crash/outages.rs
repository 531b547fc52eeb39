//! The database goes away: deliveries are answered 503, never 200 and lost, and after it is back
//! everything is processed once.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::time::Duration;

use futures::future::join_all;
use tokio::time::Instant;

use crate::load::{customers, everyone_goes_on, talk};
use crate::scenarios::held;
use crate::support::{Answer, Cluster, Customer, Kind, Node, Setting, Site, check, until};

const CONVERSATIONS: usize = 10;
const RESTARTS: usize = 4;
/// Requests of an operator meanwhile, each of which would note its key's use.
const LOOKS: usize = 100;

#[tokio::test]
async fn postgres_crashing_under_load_loses_and_doubles_nothing() {
    let cluster = Cluster::start();
    // Work claimed by a commit whose answer was lost is taken again when its lease runs out.
    let setting = Setting { lease_ms: 5_000, ..Setting::default() };
    let site = Site::on(Some(cluster.database().await), setting).await;
    let node = site.start().await;
    let mut customers = customers(&site, CONVERSATIONS);
    let over = Cell::new(false);
    let crashing = async {
        for _ in 0..RESTARTS {
            everyone_goes_on(&site, CONVERSATIONS).await;
            let turned_away = site.answered(503);
            cluster.crash().await;
            noticed(&site, turned_away).await;
            cluster.revive().await;
        }
        everyone_goes_on(&site, CONVERSATIONS).await;
        over.set(true);
    };
    tokio::join!(crashing, talk(&mut customers, Duration::from_millis(100), &over));
    let findings = check(&site, &[&node], &customers.iter().collect::<Vec<_>>()).await;
    let turned_away = site.answered(503);
    let acknowledged: usize = customers.iter().map(|customer| customer.said.len()).sum();
    let open = findings.open.len();
    println!("{acknowledged} messages, {turned_away} answered 503, {open} left to a person");
    assert!(findings.quarantined.is_empty(), "{:?}", findings.quarantined);
    assert!(open <= 2 * RESTARTS * CONVERSATIONS, "{open} open");
}

/// Waits until more customers than these were turned away.
async fn noticed(site: &Site, before: u32) {
    let look = async || match site.answered(503) {
        more if more > before => Ok(()),
        _ => Err("nobody was".to_owned()),
    };
    until("someone to be turned away", look).await;
}

/// The words of a line of the log before its first value.
fn words(line: &str) -> String {
    let said = line.split_once(": ").map_or(line, |(_, said)| said);
    let words: Vec<_> = said.split(' ').take_while(|word| !word.contains('=')).collect();
    words.join(" ")
}

/// An outage meets every request and every lane again and again: what it has to say of them comes
/// together, every five seconds, because the log may lie on the very disk that is full.
fn was_short(log: &str, outage: Duration) {
    let most = 2 + outage.as_secs() / 5;
    let mut lines: BTreeMap<String, u64> = BTreeMap::new();
    for line in log.lines() {
        *lines.entry(words(line)).or_default() += 1;
    }
    lines.retain(|_, count| *count > most);
    assert!(lines.is_empty(), "more than {most} lines in {outage:?}: {lines:?}");
}

/// Customers write while the file cannot be written, and `heal` comes once more than so many of
/// their deliveries were turned away.
async fn turned_away_until(
    site: &Site,
    node: &Node<'_>,
    refusals: u32,
    break_it: impl FnOnce(),
    heal: impl FnOnce(),
) {
    let mut ana = Customer::new(site, "5491101");
    ana.says("uno").await;
    ana.is_answered().await;
    site.sink.next_sends([Answer::Hold]);
    ana.says("dos").await;
    held(site, 1).await;

    let make = ["key", "create", "--name", "ana", "--role", "viewer"];
    let key = site.desk(&make).await["secret"].as_str().expect("a secret").to_owned();
    let (log, since) = (node.log().len(), Instant::now());
    break_it();
    let acknowledged = site.answered(200);
    let mut others = customers(site, CONVERSATIONS);
    let writing = join_all(others.iter_mut().map(async |customer| {
        customer.says("¿hay alguien?").await;
        customer.says("dame un turno").await;
    }));
    let healing = async {
        noticed(site, refusals).await;
        assert_eq!(site.answered(200), acknowledged, "acknowledged what could not be written");
        // Reading goes on; the keys' use is what cannot be written down.
        let looks = join_all((0..LOOKS).map(|_| node.api("GET", "/me", &key))).await;
        let statuses: Vec<_> = looks.into_iter().flatten().map(|(status, _)| status).collect();
        assert_eq!(statuses, [200; LOOKS]);
        was_short(&node.log()[log..], since.elapsed());
        // A send ends while its end cannot be written down.
        site.sink.open_gate();
        assert_eq!(site.answered(200), acknowledged, "acknowledged what could not be written");
        heal();
    };
    tokio::join!(writing, healing);
    let log = node.log();
    let lines = log.lines().filter(|line| line.contains("use was not noted")).count();
    assert!((1..=LOOKS / 10).contains(&lines), "one for many: {lines}\n{log}");
    ana.says("tres").await;
    let all: Vec<_> = others.iter().chain([&ana]).collect();
    let findings = check(site, &[node], &all).await;
    assert!(findings.quarantined.is_empty(), "{findings:?}");
    assert!(findings.open.len() <= 1, "only the send that was under way: {findings:?}");
}

#[tokio::test]
async fn a_locked_sqlite_file_is_answered_503_and_loses_nothing() {
    let site = Site::new(Kind::Sqlite).await;
    let node = site.start().await;
    let other = rusqlite::Connection::open(site.database_file()).expect("the database");
    let lock = || other.execute_batch("BEGIN EXCLUSIVE").expect("a lock");
    let unlock = || other.execute_batch("ROLLBACK").expect("no lock");
    turned_away_until(&site, &node, 0, lock, unlock).await;
}

/// Every write to a file fails, as on a full disk; the pipe of the log and sockets go on.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_full_disk_is_answered_503_and_loses_nothing() {
    // The lease of the send under way runs out meanwhile, and cannot be renewed.
    let setting = Setting { lease_ms: 3_000, ..Setting::default() };
    let site = Site::with(Kind::Sqlite, setting).await;
    let mut command = site.command(&["serve"]);
    // SAFETY: between fork and exec only this one call is made, and it is async-signal-safe.
    unsafe {
        command.pre_exec(|| {
            // The limit below then fails the write instead of ending the process.
            libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
            Ok(())
        });
    }
    let node = Node::launch(&site, command).await;
    let limit = |bytes: libc::rlim_t| {
        let limits = libc::rlimit { rlim_cur: bytes, rlim_max: libc::RLIM_INFINITY };
        // SAFETY: the new limits are read from a live value, the old ones are not asked for.
        let set =
            unsafe { libc::prlimit(node.pid(), libc::RLIMIT_FSIZE, &limits, std::ptr::null_mut()) };
        assert_eq!(set, 0, "{}", std::io::Error::last_os_error());
    };
    let (full, empty) = (|| limit(1), || limit(libc::RLIM_INFINITY));
    turned_away_until(&site, &node, 600, full, empty).await;
}
