//! The account that `recado conv show` gives of a conversation: lines, paths, data, timers.

use serde_json::{Map, Value};

use crate::applicant::Applicant;
use crate::registration::{MESSAGES, Words};
use crate::support::{Node, Site, rest};

const TAKEN: [&str; 6] = [
    "check_escalation",
    "check_correction",
    "check_off_topic",
    "extract_field",
    "validate",
    "prompt_next",
];

pub(crate) struct Record(Value);

impl Record {
    pub(crate) fn lines(&self) -> &[Value] {
        self.0["lines"].as_array().expect("lines")
    }

    pub(crate) fn said(&self) -> Vec<&str> {
        let own = self.lines().iter().filter(|line| line["role"] == "user");
        own.filter_map(|line| line["content"].as_str()).collect()
    }

    fn traces(&self) -> impl Iterator<Item = &Value> {
        self.lines().iter().map(|line| &line["trace"]).filter(|trace| !trace.is_null())
    }

    /// The nodes that each turn passed.
    fn paths(&self) -> Vec<Vec<&str>> {
        self.traces().map(nodes).collect()
    }

    /// The session's data, as its turns took it.
    pub(crate) fn data(&self) -> Value {
        let mut data = Map::new();
        for trace in self.traces() {
            data.extend(trace["fields"].as_object().cloned().unwrap_or_default());
        }
        Value::Object(data)
    }

    pub(crate) fn handoffs(&self) -> Vec<&str> {
        self.traces().filter_map(|trace| trace["handoff"].as_str()).collect()
    }

    pub(crate) fn owner(&self) -> &str {
        self.0["conversation"]["owner"].as_str().expect("an owner")
    }

    /// The keys of the timers that are armed.
    pub(crate) fn timers(&self) -> Vec<&str> {
        let timers = self.0["timers"].as_array().into_iter().flatten();
        timers.filter_map(|timer| timer["key"].as_str()).collect()
    }
}

fn nodes(trace: &Value) -> Vec<&str> {
    let path = trace["path"].as_array().into_iter().flatten();
    path.filter_map(|step| step["node"].as_str()).collect()
}

/// Every conversation there is.
pub(crate) async fn records(site: &Site) -> Vec<Record> {
    let list = site.desk(&["conv", "list", "--limit", "1000"]).await;
    let mut records = Vec::new();
    for one in list.as_array().expect("a list") {
        let id = one["id"].as_str().expect("an id");
        records.push(Record(site.desk(&["conv", "show", id]).await));
    }
    records
}

/// The conversation in which this name was given: the webchat tells no contact's name.
pub(crate) fn of<'r>(records: &'r [Record], applicant: &Applicant<'_>) -> &'r Record {
    let name = applicant.registration.name();
    let own: Vec<_> = records.iter().filter(|one| one.said().contains(&&*name)).collect();
    let [only] = own.as_slice() else { panic!("{} conversations of {name}", own.len()) };
    only
}

/// Each registered, heard every answer once and in order, and is on record with its own data;
/// nothing else happened and nothing is left for a person.
pub(crate) async fn assert_registered(
    site: &Site,
    nodes: &[&Node<'_>],
    applicants: &[&Applicant<'_>],
) {
    rest(nodes).await;
    let words = Words::shipped();
    let records = records(site).await;
    assert_eq!(records.len(), applicants.len(), "one conversation each");
    for applicant in applicants {
        applicant.assert_heard(&words).await;
        let record = of(&records, applicant);
        assert_whole(applicant, record);
        assert_eq!(record.said(), applicant.registration.says(), "{}", applicant.address);
        let mut paths = vec![TAKEN.to_vec(); MESSAGES];
        paths[MESSAGES - 1][5] = "complete";
        assert_eq!(record.paths(), paths, "{}", applicant.address);
        assert_eq!(record.lines().len(), 2 * MESSAGES, "{}", applicant.address);
    }
    let sent = site.sql_number("SELECT count(*) FROM outbox").await;
    assert_eq!(sent, (applicants.len() * MESSAGES) as i64, "every question is asked once");
    let (open, quarantined) = (site.reconcile().await, site.quarantine().await);
    assert!(open.is_empty() && quarantined.is_empty(), "{open:?} {quarantined:?}");
}

/// The form is complete with the right data, and nothing more is to come of it.
pub(crate) fn assert_whole(applicant: &Applicant<'_>, record: &Record) {
    assert_eq!(record.data(), applicant.registration.data(), "{}", applicant.address);
    assert_eq!(record.owner(), "bot", "{}", applicant.address);
    assert_eq!(record.timers(), Vec::<&str>::new(), "{}", applicant.address);
}
