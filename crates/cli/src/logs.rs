//! Structured logs on standard error. Personal data is masked by its type before it gets here.

use std::panic;

use config::LogFormat;
use tracing_subscriber::EnvFilter;

pub(crate) fn start(format: LogFormat) {
    let filter = EnvFilter::try_from_env("RECADO_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let logs = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match format {
        LogFormat::Text => logs.with_ansi(false).init(),
        LogFormat::Json => logs.json().init(),
    }
}

/// A panic in an agent or a tool is a failed attempt that the engine reports with its reason; here
/// it leaves one line that says where.
pub(crate) fn one_line_panics() {
    panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "panicked");
    }));
}
