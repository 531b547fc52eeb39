//! `recado doctor`: looks at configuration, models, database, disk and clock; says what to do.

mod channels;
mod outside;

use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use config::{Config, Database};
use domain::{Clock, SystemClock, Timestamp};
use host::{HostError, Use, with_causes};
use serde::Serialize;

use crate::args::DoctorOptions;
use crate::exit::{FAILED_CHECK, Outcome};
use crate::output::print;
use crate::wiring;

const LOW_DISK_BYTES: u64 = 1024 * 1024 * 1024;
const CLOCK_TOLERANCE_MS: i64 = 2_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Level {
    Ok,
    Warning,
    Failure,
}

/// A finding: the cause, the risk, and the fix.
#[derive(Debug, Serialize)]
struct Finding {
    check: &'static str,
    level: Level,
    cause: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    risk: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

impl Finding {
    fn ok(check: &'static str, cause: impl Into<String>) -> Self {
        Self { check, level: Level::Ok, cause: cause.into(), risk: None, fix: None }
    }

    fn bad(
        check: &'static str,
        level: Level,
        cause: impl Into<String>,
        risk: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        let (risk, fix) = (Some(risk.into()), Some(fix.into()));
        Self { check, level, cause: cause.into(), risk, fix }
    }
}

pub(crate) async fn doctor(options: &DoctorOptions) -> Outcome {
    let findings = examine(options).await;
    print(options.json, &findings, |findings| {
        findings.iter().map(in_words).collect::<Vec<_>>().join("\n")
    })?;
    let failed = findings.iter().any(|finding| finding.level == Level::Failure);
    Ok(if failed { ExitCode::from(FAILED_CHECK) } else { ExitCode::SUCCESS })
}

fn in_words(finding: &Finding) -> String {
    let mark = match finding.level {
        Level::Ok => "ok  ",
        Level::Warning => "warn",
        Level::Failure => "FAIL",
    };
    let mut text = format!("{mark}  {:<13}  {}", finding.check, finding.cause);
    for (name, detail) in [("risk", &finding.risk), ("fix", &finding.fix)] {
        if let Some(detail) = detail {
            text += &format!("\n      {name:>13}  {detail}");
        }
    }
    text
}

async fn examine(options: &DoctorOptions) -> Vec<Finding> {
    let config = match wiring::load(&options.config) {
        Ok(config) => config,
        Err(error) => {
            return vec![Finding::bad(
                "configuration",
                Level::Failure,
                format!("{error:#}"),
                "recado serve refuses to start",
                "mend the lines named; `recado config` prints an example",
            )];
        }
    };
    let mut findings = vec![configuration(&config)];
    findings.extend(proxy(&config));
    findings.extend(channels::channels(&config).await);
    findings.extend(outside::outside(&config));
    findings.extend(database(&config).await);
    findings.push(disk(&config));
    findings.push(machine_clock(SystemClock::default().now()));
    findings
}

fn configuration(config: &Config) -> Finding {
    let source = match &config.source {
        Some(path) => path.display().to_string(),
        None => "no recado.yaml: the demo's defaults".to_owned(),
    };
    let count = config.channels.len();
    Finding::ok(
        "configuration",
        format!("{source}; {count} channel(s), listens on {}", config.listen),
    )
}

/// A node speaks no TLS itself, so that whoever is served over https comes by a proxy.
fn proxy(config: &Config) -> Option<Finding> {
    let public_url = config.public_url.as_deref().filter(|url| url.starts_with("https://"))?;
    let trusted: Vec<_> = config.trusted_proxies.iter().map(ToString::to_string).collect();
    if !trusted.is_empty() {
        let cause = format!("{public_url} is served by {}", trusted.join(", "));
        return Some(Finding::ok("proxy", cause));
    }
    Some(Finding::bad(
        "proxy",
        Level::Failure,
        format!("{public_url} is served by a proxy, and `trusted_proxies` names none"),
        "all callers count as the proxy's one address: a crowd, or one who attacks, has the others \
         turned away",
        "name the proxy's address or network, as `trusted_proxies: [127.0.0.1]` for one on this machine, \
         and have it write X-Forwarded-For itself",
    ))
}

async fn database(config: &Config) -> Vec<Finding> {
    if let Database::Sqlite { path } = &config.database
        && !path.exists()
    {
        let cause = format!("{} is made at the first start", path.display());
        return vec![Finding::ok("database", cause)];
    }
    let opened = host::open_store(config, Use::Desk).await;
    let now = SystemClock::default().now();
    let facts = match opened {
        Ok(store) => store.durability(now).await.map_err(HostError::from),
        Err(error) => Err(error),
    };
    let facts = match facts {
        Ok(facts) => facts,
        Err(error) => {
            return vec![Finding::bad(
                "database",
                Level::Failure,
                format!("{}: {}", config.database.redacted(), with_causes(&error)),
                "recado serve cannot start, or answers 503",
                "follow the message above; nothing was changed",
            )];
        }
    };
    let mut findings = vec![Finding::ok("database", format!("{}: {}", facts.engine, facts.detail))];
    if !facts.durable_commits {
        findings.push(Finding::bad(
            "durability",
            Level::Failure,
            "commits are not flushed to disk before they are confirmed",
            "a power cut loses messages that were acknowledged",
            "set fsync = on and synchronous_commit = on in PostgreSQL",
        ));
    }
    if let Some(role) = &facts.role {
        findings.push(if facts.role_owns_tables {
            Finding::bad(
                "database role",
                Level::Warning,
                format!("`{role}` owns the tables it works on"),
                "row-level security binds it, but it could switch that off",
                "give `database_owner:` the owner's address and `database:` a role of its own",
            )
        } else {
            Finding::ok("database role", format!("`{role}` owns no table and bypasses nothing"))
        });
    }
    if facts.clock_behind_ms.abs() > CLOCK_TOLERANCE_MS {
        findings.push(Finding::bad(
            "clock",
            Level::Warning,
            format!("this machine is {} ms off the database's clock", facts.clock_behind_ms),
            "recado follows the database, but logs and other programs here disagree with it",
            "switch on NTP on this machine",
        ));
    }
    findings
}

fn disk(config: &Config) -> Finding {
    let folder = match &config.database {
        Database::Sqlite { path } => path.parent().map_or(PathBuf::new(), Path::to_path_buf),
        Database::Postgres { .. } => PathBuf::new(),
    };
    let folder = if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder };
    match free_bytes(&folder) {
        Some(free) if free < LOW_DISK_BYTES => Finding::bad(
            "disk",
            Level::Warning,
            format!("{} MiB free at {}", free / 1024 / 1024, folder.display()),
            "when it is full, nothing more is taken in: senders get 503",
            "free some space or move the database",
        ),
        Some(free) => {
            let gib = free / 1024 / 1024 / 1024;
            Finding::ok("disk", format!("{gib} GiB free at {}", folder.display()))
        }
        None => Finding::bad(
            "disk",
            Level::Failure,
            format!("{} cannot be looked at", folder.display()),
            "the database may not be writable",
            "make the folder, or correct `database:`",
        ),
    }
}

fn free_bytes(folder: &Path) -> Option<u64> {
    let path = CString::new(folder.as_os_str().as_bytes()).ok()?;
    // SAFETY: `stat` is plain numbers, valid when zeroed, and written only by the call, which
    // gets a string that ends in NUL.
    let stat = unsafe {
        let mut stat: libc::statvfs = std::mem::zeroed();
        (libc::statvfs(path.as_ptr(), &raw mut stat) == 0).then_some(stat)
    }?;
    Some(stat.f_bavail * stat.f_frsize)
}

// Before this was written, or a century after it: no clock that was set.
fn machine_clock(now: Timestamp) -> Finding {
    const BUILT: i64 = 1_760_000_000_000;
    const CENTURY_MS: i64 = 100 * 365 * 86_400_000;
    if (BUILT..BUILT + CENTURY_MS).contains(&now.millis()) {
        return Finding::ok("clock", now.to_string());
    }
    Finding::bad(
        "clock",
        Level::Failure,
        format!("this machine believes it is {now}"),
        "timers fire at wrong times and sessions end early or never",
        "set the clock and switch on NTP",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_was_never_set_is_a_failure() {
        assert_eq!(machine_clock(Timestamp::from_millis(0)).level, Level::Failure);
        let later = Timestamp::from_millis(1_790_000_000_000);
        assert_eq!(machine_clock(later).level, Level::Ok);
    }

    #[test]
    fn a_public_address_by_https_behind_a_proxy_that_is_not_trusted_is_a_failure() {
        let found = |yaml: &str| {
            let folder = wiring::temporary_folder().unwrap();
            let file = folder.path().join("recado.yaml");
            std::fs::write(&file, yaml).unwrap();
            proxy(&config::load(Some(&file), &config::Environment::default()).unwrap())
        };
        let https = "public_url: https://chat.example.com\n";
        let finding = found(https).unwrap();
        assert_eq!(finding.level, Level::Failure);
        assert!(finding.cause.contains("https://chat.example.com"), "{}", finding.cause);
        assert!(finding.fix.unwrap().contains("trusted_proxies: [127.0.0.1]"));
        assert!(finding.risk.unwrap().contains("one address"));
        let finding = found(&format!("{https}trusted_proxies: [127.0.0.1, 10.0.0.0/8]\n")).unwrap();
        assert_eq!(finding.level, Level::Ok);
        assert!(finding.cause.ends_with("127.0.0.1/32, 10.0.0.0/8"), "{}", finding.cause);
        for open in ["public_url: http://192.168.1.9:8080\n", "workers: 4\n"] {
            assert!(found(open).is_none(), "{open}");
        }
    }

    #[test]
    fn free_space_is_known_for_a_folder_and_unknown_for_none() {
        assert!(free_bytes(Path::new("/")).is_some());
        assert!(free_bytes(Path::new("/no/such/folder")).is_none());
    }
}
