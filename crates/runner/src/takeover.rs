//! People who take a conversation: over the API, or by answering from the business's own phone.

use domain::{
    ChannelId, ContactId, ConversationId, EventId, Identity, Pii, SessionId, Timestamp, WorkspaceId,
};
use metrics::counter;
use store::{Echoed, PhoneEcho, StoreResult, when_clear};

use crate::{Engine, IntakeError};

impl Engine {
    /// Makes a person the owner. When this returns, no message of the bot leaves any more.
    pub async fn take_over(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        by: &str,
    ) -> StoreResult<()> {
        store::take_over(&*self.store, &*self.clock, workspace, conversation, by).await
    }

    /// What the business wrote to a customer from its own phone: noted as a person's words, and
    /// from then on the conversation is a person's, unless that was long ago. Nothing is sent.
    pub async fn taken_by_phone(
        &self,
        channel: &ChannelId,
        customer: Identity,
        text: Pii,
        external_id: &str,
        at: Timestamp,
    ) -> Result<Echoed, IntakeError> {
        let outlet =
            self.outlet(channel).ok_or_else(|| IntakeError::NoSuchChannel(channel.clone()))?;
        let session = self.new_session(SessionId(self.ids.next()), outlet, self.now());
        let echo = PhoneEcho {
            external_id: external_id.to_owned(),
            to: customer,
            text,
            sent_at: at,
            event: EventId(self.ids.next()),
            contact: ContactId(self.ids.next()),
            conversation: ConversationId(self.ids.next()),
            session,
        };
        let echoed =
            when_clear(|| self.store.echo(&outlet.channel, echo.clone(), self.now())).await;
        let echoed = echoed.map_err(IntakeError::NotNow)?;
        counter!("recado_phone_echoes_total", "outcome" => echoed.as_str()).increment(1);
        Ok(echoed)
    }
}
