//! Exit codes: 0 done, 1 a check failed, 2 usage, 3 not found, 4 not allowed, 5 conflict,
//! 6 unavailable.

use std::process::ExitCode;

use config::ConfigErrors;
use host::HostError;
use store::StoreError;

pub(crate) type Outcome = anyhow::Result<ExitCode>;

pub(crate) const FAILED_CHECK: u8 = 1;
const USAGE: u8 = 2;
const NOT_FOUND: u8 = 3;
const CONFLICT: u8 = 5;
const UNAVAILABLE: u8 = 6;

/// A mistake in what was asked for, found only after the arguments were read.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Usage(pub(crate) String);

/// Says what went wrong on standard error and chooses the code.
pub(crate) fn code(result: Outcome) -> ExitCode {
    let error = match result {
        Ok(code) => return code,
        Err(error) => error,
    };
    eprintln!("recado: {error:#}");
    ExitCode::from(number(&error))
}

fn number(error: &anyhow::Error) -> u8 {
    if error.is::<ConfigErrors>() || error.is::<Usage>() {
        return USAGE;
    }
    let mut host = error.downcast_ref::<HostError>();
    while let Some(HostError::Workspace { source, .. }) = host {
        host = Some(source);
    }
    let stores = match host {
        Some(HostError::NoSuchPack { .. }) => return USAGE,
        Some(HostError::Store(error)) => Some(error),
        _ => error.downcast_ref::<StoreError>(),
    };
    match stores {
        Some(StoreError::NotFound(_)) => NOT_FOUND,
        Some(StoreError::Refused(_) | StoreError::VersionConflict | StoreError::LaneLost) => {
            CONFLICT
        }
        Some(StoreError::Unavailable(_) | StoreError::Busy | StoreError::OnItsWay) => UNAVAILABLE,
        Some(StoreError::Unusable(_)) | None => FAILED_CHECK,
    }
}
