//! The operator's commands on handoffs: who waits for a person, and who has it.

use std::process::ExitCode;

use anyhow::{Result, bail};
use domain::{Clock, HandoffId, HandoffRequest, HandoffStatus};
use serde_json::Value;
use store::{HandoffFilter, StoreError};

use crate::args::{Desk, HandoffCommand, WhichHandoffs};
use crate::attend::{Office, done};
use crate::exit::{Outcome, Usage};
use crate::output::{print, short, table};

/// How many handoffs the end of an id is looked for among.
const RECENT: u32 = 10_000;

pub(crate) async fn handoffs(command: HandoffCommand) -> Outcome {
    match command {
        HandoffCommand::List { status, assignee, limit, before, desk } => {
            let filter = HandoffFilter { status: status.status(), assignee, before, limit };
            list(&desk, filter).await?;
        }
        HandoffCommand::Show { id, desk } => {
            let office = Office::open(&desk).await?;
            let id = find(&office, &id).await?;
            let handoff = office.store.handoff(office.workspace.id, id).await?;
            print(desk.json, &handoff, in_words)?;
        }
        HandoffCommand::Assign { id, to, desk } => {
            let to = to.as_deref().unwrap_or(&desk.by);
            refuse_blank("--to", to)?;
            let office = Office::open(&desk).await?;
            let id = find(&office, &id).await?;
            let (workspace, now) = (office.workspace.id, office.clock.now());
            office.store.assign_handoff(workspace, id, &desk.by, to, now).await?;
            done(&desk, id, &format!("assigned to {to}"))?;
        }
        HandoffCommand::Resolve { id, note, desk } => {
            refuse_blank("--note", &note)?;
            let office = Office::open(&desk).await?;
            let id = find(&office, &id).await?;
            let (workspace, now) = (office.workspace.id, office.clock.now());
            office.store.resolve_handoff(workspace, id, &desk.by, &note, now).await?;
            done(&desk, id, "resolved: give the conversation back with `recado conv return`")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

impl WhichHandoffs {
    fn status(self) -> Option<HandoffStatus> {
        match self {
            Self::Pending => Some(HandoffStatus::Pending),
            Self::Assigned => Some(HandoffStatus::Assigned),
            Self::Resolved => Some(HandoffStatus::Resolved),
            Self::All => None,
        }
    }
}

fn refuse_blank(name: &str, text: &str) -> Result<()> {
    if text.trim().is_empty() {
        bail!(Usage(format!("{name} is empty")));
    }
    Ok(())
}

/// A handoff's id, or any unambiguous end of one.
async fn find(office: &Office, id: &str) -> Result<HandoffId> {
    if let Ok(id) = id.parse() {
        return Ok(id);
    }
    let recent = HandoffFilter { limit: RECENT, ..HandoffFilter::default() };
    let all = office.store.handoffs(office.workspace.id, recent).await?;
    let matching: Vec<_> =
        all.iter().filter(|one| one.id.to_string().ends_with(id)).map(|one| one.id).collect();
    match matching.as_slice() {
        [only] => Ok(*only),
        [] => Err(StoreError::NotFound("handoff").into()),
        many => bail!(Usage(format!("{} handoffs end in `{id}`", many.len()))),
    }
}

async fn list(desk: &Desk, filter: HandoffFilter) -> Result<()> {
    let office = Office::open(desk).await?;
    let all = office.store.handoffs(office.workspace.id, filter).await?;
    print(desk.json, &all, |all| {
        if all.is_empty() {
            return "No such handoffs.".to_owned();
        }
        let row = |one: &HandoffRequest| {
            let who = one.assigned_to.clone().unwrap_or_else(|| one.status.as_str().to_owned());
            let (id, conversation) = (one.id.to_string(), one.conversation.to_string());
            vec![id, one.created_at.to_string(), who, conversation, short(&one.reason)]
        };
        let rows: Vec<_> = all.iter().map(row).collect();
        table(&["HANDOFF", "SINCE", "WHO", "CONVERSATION", "REASON"], &rows)
    })
}

fn in_words(handoff: &HandoffRequest) -> String {
    let context = &handoff.context;
    let words = |value: &Value| value.as_str().unwrap_or("–").to_owned();
    let mut text = format!("{}  {}\n", handoff.id, handoff.status.as_str());
    let mut line = |name: &str, value: String| text += &format!("{name:<13} {value}\n");
    line("conversation", handoff.conversation.to_string());
    line("since", handoff.created_at.to_string());
    line("why", format!("{} ({})", handoff.reason, handoff.trigger.as_str()));
    if let (Some(who), Some(at)) = (&handoff.assigned_to, handoff.assigned_at) {
        line("assigned to", format!("{who}, {at}"));
    }
    if let Some(at) = handoff.resolved_at {
        let how = handoff.resolution.as_deref().unwrap_or("–");
        line("resolved", format!("{how}, {at}"));
    }
    line("waits for", words(&context["pending_issue"]));
    line("mode", words(&context["current_mode"]));
    line("cart", words(&context["cart_summary"]));
    let customer = &context["customer_info"];
    let who = format!("{}, {}", words(&customer["name"]), words(&customer["phone"]));
    line("customer", format!("{who}; orders {}", customer["total_orders"]));
    for (currency, sum) in customer["total_spent"].as_object().into_iter().flatten() {
        line("spent", format!("{currency} {}", words(sum)));
    }
    for message in context["last_messages"].as_array().into_iter().flatten() {
        text += &format!("  {:<9}  {}\n", words(&message["role"]), words(&message["text"]));
    }
    text
}

#[cfg(test)]
mod tests {
    use domain::{Timestamp, Trigger};
    use serde_json::json;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_handoff_is_shown_with_all_that_the_person_should_know() {
        let at = Timestamp::from_millis;
        let handoff = HandoffRequest {
            id: Uuid::from_u128(1).into(),
            conversation: Uuid::from_u128(2).into(),
            session: Uuid::from_u128(3).into(),
            contact: Uuid::from_u128(4).into(),
            trigger: Trigger::CustomerRequest,
            reason: "pidió una persona".to_owned(),
            context: json!({
                "current_mode": "venta", "cart_summary": null, "pending_issue": "cancelar el #7",
                "last_messages": [{ "role": "user", "text": "una persona" }],
                "customer_info": {
                    "name": "Ana", "phone": null, "total_orders": 2,
                    "total_spent": { "COP": "10.50" },
                },
            }),
            status: HandoffStatus::Resolved,
            assigned_to: Some("marta".to_owned()),
            assigned_at: Some(at(1_000)),
            resolved_at: Some(at(2_000)),
            resolution: None,
            created_at: at(0),
        };
        let expected = "\
00000000-0000-0000-0000-000000000001  resolved
conversation  00000000-0000-0000-0000-000000000002
since         1970-01-01T00:00:00.000Z
why           pidió una persona (customer_request)
assigned to   marta, 1970-01-01T00:00:01.000Z
resolved      –, 1970-01-01T00:00:02.000Z
waits for     cancelar el #7
mode          venta
cart          –
customer      Ana, –; orders 2
spent         COP 10.50
  user       una persona
";
        assert_eq!(in_words(&handoff), expected);
    }
}
