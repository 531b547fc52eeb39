//! The public retail benchmark's sample, replayed by the bench itself: in memory, on both stores,
//! and with a model while the engine is killed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

const KILLS: u64 = 16;

fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data/tau_retail")
}

fn bench(data: &Path, options: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bench"));
    command.args(["tau", "--data"]).arg(data).args(options);
    command.output().expect("the bench runs")
}

/// The figures of each run, all as they should be.
fn figures(options: &[&str]) -> Vec<Value> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("figures.json");
    let file_option = ["--json", file.to_str().expect("a path")];
    let output = bench(&sample(), &[options, &file_option].concat());
    let told = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.status.success(), "{told}");
    let figures: Vec<Value> =
        serde_json::from_slice(&fs::read(&file).expect(&told)).expect("figures");
    for run in &figures {
        assert_eq!(run["tasks"], 67, "{told}");
        assert_eq!(run["calls"], 110, "{told}");
        assert_eq!(run["calls_equal"], 110, "{told}");
        assert_eq!(run["diffs_equal"], 67, "{told}");
        assert_eq!(run["hashes_equal"], 67, "{told}");
        assert_eq!(run["writes"], 66, "{told}");
        assert_eq!(run["writes_doubled"], 0, "{told}");
        assert_eq!(run["writes_lost"], 0, "{told}");
    }
    figures
}

/// With no model, and then with one that is killed.
fn survives(store: &str) {
    let kills = KILLS.to_string();
    let figures = figures(&["--store", store, "--kills", &kills]);
    let [_, killed] = figures.as_slice() else { panic!("two runs: {figures:?}") };
    assert!(killed["kills"].as_u64() >= Some(10), "{killed}");
    assert!(killed["at_points"].as_u64() >= Some(1), "{killed}");
    assert!(killed["after_writes"].as_u64() >= Some(1), "{killed}");
    assert_eq!(killed["messages"], 68, "{killed}");
    assert_eq!(killed["answers"], 153, "each answer is on record once: {killed}");
    assert_eq!(killed["asked_again"], 0, "what is on record is not asked for again: {killed}");
}

#[test]
fn every_task_comes_out_as_recorded_in_memory() {
    assert_eq!(figures(&["--store", "memory"]).len(), 1);
}

#[test]
fn every_task_comes_out_as_recorded_on_sqlite_though_the_engine_is_killed() {
    survives("sqlite");
}

#[test]
fn every_task_comes_out_as_recorded_on_postgres_though_the_engine_is_killed() {
    survives("postgres");
}

#[test]
fn a_record_that_says_otherwise_is_told_and_fails() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::copy(sample().join("db.json"), folder.path().join("db.json")).expect("a copy");
    let tasks = fs::read_to_string(sample().join("replay_sample.jsonl")).expect("tasks");
    let other = tasks.replacen("\"db_sha256_norm\":\"", "\"db_sha256_norm\":\"0", 1);
    fs::write(folder.path().join("replay_other.jsonl"), other).expect("a copy");
    let output = bench(folder.path(), &["--store", "memory"]);
    assert!(!output.status.success());
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.contains("another hash than recorded"), "{told}");
}

#[test]
fn a_folder_that_is_not_the_benchmark_is_told_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = bench(folder.path(), &["--store", "memory"]);
    assert!(!output.status.success());
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("--data names a folder of the benchmark"), "{told}");
}
