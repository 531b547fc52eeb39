//! Kills the process before and after every commit and every call to the outside, on both stores.

use futures::future::join_all;
use store::{Outside, Point, When};

use crate::scenarios::{self, Crash};
use crate::support::Kind;

/// Dies at each of the passes, before and after, each time in a world of its own.
async fn survives<F: Future<Output = ()>>(
    kind: Kind,
    at: &'static str,
    passes: &[u32],
    scenario: impl Fn(Kind, Crash) -> F,
) {
    let crashes = When::ALL
        .into_iter()
        .flat_map(|when| passes.iter().map(move |pass| Crash { at, when, pass: *pass }));
    join_all(crashes.map(|crash| scenario(kind, crash))).await;
}

/// A test per point and store. The match has no other arm, so a new point does not compile until
/// it has its scenario here.
macro_rules! crash_at {
    ($of:ident { $($variant:ident as $test:ident: $scenario:ident at $passes:expr,)* }) => {
        const _: fn($of) = |point| match point {
            $($of::$variant => {})*
        };

        $(async fn $test(kind: Kind) {
            survives(kind, $of::$variant.name(), &$passes, scenarios::$scenario).await;
        })*

        crate::on_both_stores!($($test,)*);
    };
}

mod commits {
    use super::*;

    crash_at! { Point {
        Setup as setup: starting at [1],
        PackKeep as pack_keep: keeping_a_pack at [1],
        InboxAccept as inbox_accept: talking at [1, 5],
        InboxNote as inbox_note: noting at [1],
        InboxUnreadable as inbox_unreadable: keeping_the_unreadable at [1],
        InboxReport as inbox_report: hearing_of_a_delivery at [1],
        InboxForget as inbox_forget: forgetting at [1],
        InboxPrune as inbox_prune: pruning at [1],
        MediaClaim as media_claim: fetching_a_file at [1],
        MediaRecord as media_record: fetching_a_file at [1],
        LaneClaim as lane_claim: claiming at [1],
        LaneHeartbeat as lane_heartbeat: keeping_a_lease at [1],
        LaneRelease as lane_release: giving_up_a_lane at [1],
        StepIntent as step_intent: calling_tools at [1],
        StepLocal as step_local: talking at [1, 2],
        StepOutcome as step_outcome: calling_tools at [1],
        StepAnswer as step_answer: selling at [1, 2],
        DraftPut as draft_put: drafting at [1],
        TurnCommit as turn_commit: talking at [1, 3],
        TurnSuspect as turn_suspect: suspecting at [1],
        TurnFail as turn_fail: failing at [1, 2],
        TurnQuarantine as turn_quarantine: failing at [1],
        OutboxIntend as outbox_intend: talking at [1, 3],
        OutboxRecord as outbox_record: talking at [1, 3],
        ConversationTake as conversation_take: taking_over at [1],
        ConversationReturn as conversation_return: giving_back at [1],
        ConversationSay as conversation_say: writing_as_a_person at [1],
        HandoffAssign as handoff_assign: assigning_a_handoff at [1],
        HandoffResolve as handoff_resolve: resolving_a_handoff at [1],
        QuarantineRetry as quarantine_retry: trying_again at [1],
        ReconcileResolve as reconcile_resolve: resolving_an_open_item at [1],
        DeedPerform as deed_perform: filling_a_shop at [1, 2],
        TimerCancel as timer_cancel: cancelling_a_timer at [1],
        KeyAdd as key_add: making_a_key at [1],
        KeyRevoke as key_revoke: revoking_a_key at [1],
        KeyUse as key_use: using_a_key at [1],
        LivePrune as live_prune: pruning_live_events at [1],
        ContactIndex as contact_index: indexing_contacts at [1],
    } }
}

mod calls {
    use super::*;

    crash_at! { Outside {
        ToolCall as tool_call: calling_tools at [1],
        ModelCall as model_call: selling at [1, 2],
        ChannelSend as channel_send: talking at [1, 3],
        MediaFetch as media_fetch: fetching_a_file at [1],
    } }
}

/// The points around tools once more, in a turn in which a model asks for them.
mod sales {
    use super::*;

    async fn selling_outlives_a_kill_around_a_tools_intent(kind: Kind) {
        survives(kind, Point::StepIntent.name(), &[1], scenarios::selling).await;
    }

    async fn selling_outlives_a_kill_around_a_tools_call(kind: Kind) {
        survives(kind, Outside::ToolCall.name(), &[1], scenarios::selling).await;
    }

    async fn selling_outlives_a_kill_around_a_tools_outcome(kind: Kind) {
        survives(kind, Point::StepOutcome.name(), &[1], scenarios::selling).await;
    }

    async fn selling_outlives_a_kill_around_an_order(kind: Kind) {
        survives(kind, Point::StepLocal.name(), &[1], scenarios::selling).await;
    }

    async fn selling_outlives_a_kill_around_the_turns_commit(kind: Kind) {
        survives(kind, Point::TurnCommit.name(), &[1], scenarios::selling).await;
    }

    crate::on_both_stores!(
        selling_outlives_a_kill_around_a_tools_intent,
        selling_outlives_a_kill_around_a_tools_call,
        selling_outlives_a_kill_around_a_tools_outcome,
        selling_outlives_a_kill_around_an_order,
        selling_outlives_a_kill_around_the_turns_commit,
    );
}
