//! A tool outside that records how it was called and does as scripted.

use std::collections::{BTreeMap, VecDeque};
use std::future::pending;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use domain::{Caller, ToolError};
use serde_json::{Value, json};
use store::When;
use tools::{OutsideTool, Spec};

use super::Faults;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Does {
    Work,
    Refuse,
    /// Acts or not, and does not say.
    Vanish,
    Panic,
    Hang,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Call {
    pub(crate) input: Value,
    pub(crate) key: String,
}

/// Works whenever the script does not say otherwise.
#[derive(Clone)]
pub(crate) struct OutsideScript {
    spec: Arc<Spec>,
    idempotent: bool,
    faults: Faults,
    script: Arc<Mutex<VecDeque<Does>>>,
    calls: Arc<Mutex<Vec<Call>>>,
}

impl OutsideScript {
    pub(crate) fn new(name: &'static str, idempotent: bool, faults: &Faults) -> Self {
        let (script, calls) = Default::default();
        let mut spec = Spec::of::<BTreeMap<String, Value>>(name, "does as scripted");
        // The turn's own time is over first.
        spec.timeout = Duration::from_secs(3600);
        Self { spec: Arc::new(spec), idempotent, faults: faults.clone(), script, calls }
    }

    pub(crate) fn script(&self, does: impl IntoIterator<Item = Does>) {
        self.script.lock().unwrap().extend(does);
    }

    pub(crate) fn calls(&self) -> Vec<Call> {
        self.calls.lock().unwrap().clone()
    }

    pub(crate) fn keys(&self) -> Vec<String> {
        self.calls().into_iter().map(|call| call.key).collect()
    }
}

#[async_trait]
impl OutsideTool for OutsideScript {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn idempotent(&self) -> bool {
        self.idempotent
    }

    async fn call(&self, _: &Caller, input: &Value, key: &str) -> Result<Value, ToolError> {
        let away = |_| ToolError::Unknown("planned".to_owned());
        self.faults.hit("tool.call", When::Before).await.map_err(away)?;
        let does = self.script.lock().unwrap().pop_front().unwrap_or(Does::Work);
        self.calls.lock().unwrap().push(Call { input: input.clone(), key: key.to_owned() });
        self.faults.hit("tool.call", When::After).await.map_err(away)?;
        match does {
            Does::Work => Ok(json!("ok")),
            Does::Refuse => Err(ToolError::Refused("not today".to_owned())),
            Does::Vanish => Err(ToolError::Unknown("no answer".to_owned())),
            Does::Panic => panic!("the tool broke"),
            Does::Hang => {
                let _skipping = super::agents::Skipping::time();
                pending().await
            }
        }
    }
}
