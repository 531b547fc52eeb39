//! The world of one test: a database of its own, a clock the test moves, a channel, and a phone
//! line.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use agents::Agent;
use channels::{Parsed, Sender};
use domain::{
    Approved, Authority, Burst, Caller, Channel, ChannelId, ChannelKind, Clock, Content,
    Conversation, ConversationId, DeliveryReport, DeliveryStatus, EventId, HandoffRequest,
    IdSource, Identity, Inbound, NewOutbound, OutboundId, Pace, Priority, Reference, Role,
    SeededIds, SessionId, Ticks, Timestamp, VirtualClock, Workspace,
};
use llm::{Limits, Models, Prices};
use runner::{Engine, Fixed, Outlet, Parts, Roster, Settings, Taken};
use store::sql::SqlStore;
use store::{
    AttentionFilter, Echoed, GiveBack, HandoffFilter, Quarantined, ReconcileItem, Store,
    StoreError, StoreResult,
};
use store_postgres::PostgresDriver;
use store_postgres::testing::{Urls, fresh_database};
use store_sqlite::SqliteDriver;
use tools::{LocalTool, OutsideTool, Registry};
use uuid::Uuid;

use super::agents::NAME;
use super::faults::Faulty;
use super::{Echo, Faults, Gate, Phone};

pub(crate) const START: Timestamp = Timestamp::from_millis(1_780_000_000_000);
pub(crate) const LEASE_MS: i64 = 10_000;

/// Between two looks at what a node on threads of its own is at, so that they have the processor.
pub(crate) const LOOK: Duration = Duration::from_millis(5);

#[derive(Clone, Copy)]
pub(crate) enum On {
    Sqlite,
    Postgres,
}

enum Database {
    Sqlite { _folder: tempfile::TempDir, path: PathBuf },
    Postgres(Urls),
}

pub(crate) struct World {
    pub(crate) clock: VirtualClock,
    pub(crate) faults: Faults,
    pub(crate) phone: Phone,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) channel: Channel,
    pub(crate) settings: Settings,
    /// Further channels that this world's nodes serve too.
    pub(crate) neighbours: Vec<Channel>,
    /// No pace, but for tests of it.
    pub(crate) pace: Pace,
    models: Arc<Models>,
    ticks: Arc<dyn Ticks>,
    roster: Arc<dyn Roster>,
    tools: Registry,
    ids: Arc<SeededIds<VirtualClock>>,
    heard: AtomicU64,
    // Last, so that the store is closed before its file is removed.
    database: Arc<Database>,
}

impl World {
    pub(crate) async fn new(on: On) -> Self {
        let database = match on {
            On::Sqlite => {
                let folder = tempfile::tempdir().expect("a folder");
                let path = folder.path().join("recado.db");
                Database::Sqlite { _folder: folder, path }
            }
            On::Postgres => Database::Postgres(fresh_database().await),
        };
        Self::within(Arc::new(database), "tienda", None).await
    }

    /// Another workspace on the same database, with a clock, a phone and faults of its own.
    pub(crate) async fn beside(&self, workspace: &str) -> Self {
        Self::within(Arc::clone(&self.database), workspace, Some(self)).await
    }

    async fn within(database: Arc<Database>, workspace: &str, beside: Option<&Self>) -> Self {
        let clock = VirtualClock::at(START);
        let faults = beside.map(|world| world.faults.clone()).unwrap_or_default();
        let store = match beside {
            Some(world) => Arc::clone(&world.store),
            None => open(&database, &faults).await,
        };
        let workspace = Workspace::named(workspace);
        let channel = Channel {
            id: "whatsapp".into(),
            workspace: workspace.id,
            kind: ChannelKind::Infobip,
            agent: NAME.to_owned(),
            burst: Burst::default(),
        };
        let channels = std::slice::from_ref(&channel);
        store.ensure(&workspace, channels, clock.now()).await.expect("the channel");
        Self {
            phone: Phone::new(clock.clone(), faults.clone()),
            settings: Settings { lease_ms: LEASE_MS, ..Settings::default() },
            neighbours: Vec::new(),
            pace: Pace::default(),
            models: Arc::new(no_models(&clock)),
            ticks: Arc::new(OneMsEach::default()),
            roster: Arc::new(Fixed(vec![Arc::new(Echo)])),
            tools: Registry::builtin(),
            // An id is made once in the world, whoever's it is.
            ids: Arc::new(SeededIds::new(clock.clone(), workspace.id.0.as_u64_pair().0)),
            heard: AtomicU64::new(0),
            clock,
            faults,
            store,
            channel,
            database,
        }
    }

    #[must_use]
    pub(crate) fn with_agent(mut self, agent: impl Agent + 'static) -> Self {
        self.roster = Arc::new(Fixed(vec![Arc::new(agent)]));
        self
    }

    #[must_use]
    pub(crate) fn with_roster(mut self, roster: &Arc<impl Roster + 'static>) -> Self {
        self.roster = Arc::clone(roster) as Arc<dyn Roster>;
        self
    }

    #[must_use]
    pub(crate) fn with_models(mut self, models: Models) -> Self {
        self.models = Arc::new(models);
        self
    }

    /// The running time of agents is measured by the world's own clock.
    #[must_use]
    pub(crate) fn with_true_ticks(mut self) -> Self {
        self.ticks = Arc::new(ByClock(self.clock.clone()));
        self
    }

    #[must_use]
    pub(crate) fn with_kind(mut self, kind: ChannelKind) -> Self {
        self.channel.kind = kind;
        self
    }

    #[must_use]
    pub(crate) fn with_burst(mut self, burst: Burst) -> Self {
        self.channel.burst = burst;
        self
    }

    /// A further channel, of this workspace or another one, that is served beside this one.
    pub(crate) async fn with_neighbour(mut self, workspace: &str, id: &str) -> Self {
        let workspace = Workspace::named(workspace);
        let channel = Channel { id: id.into(), workspace: workspace.id, ..self.channel.clone() };
        let channels = std::slice::from_ref(&channel);
        self.store.ensure(&workspace, channels, self.now()).await.expect("the channel");
        self.neighbours.push(channel);
        self
    }

    pub(crate) fn add_tool(&mut self, tool: impl OutsideTool + 'static) {
        self.tools.add_outside(tool).expect("a tool of its own");
    }

    /// The tool is called only after a customer's yes to it.
    pub(crate) fn hold_until_yes(&mut self, tool: &str) {
        self.tools.hold(tool, None, None, true).expect("a tool that is there");
    }

    pub(crate) fn add_local(&mut self, tool: impl LocalTool + 'static) {
        self.tools.add_local(tool).expect("a tool of its own");
    }

    pub(crate) fn id(&self) -> Uuid {
        self.ids.next()
    }

    /// A node of this world.
    pub(crate) fn node(&self) -> Arc<Engine> {
        self.node_over(&self.store)
    }

    /// A node with connections of its own; SQLite has one process, whose nodes share them.
    pub(crate) async fn distant_node(&self) -> Arc<Engine> {
        self.node_over(&self.opening().await)
    }

    /// Opens the database as a node with connections of its own does.
    pub(super) fn opening(&self) -> impl Future<Output = Arc<dyn Store>> + Send + use<> {
        let (database, faults) = (Arc::clone(&self.database), self.faults.clone());
        let shared = Arc::clone(&self.store);
        async move {
            match &*database {
                Database::Sqlite { .. } => shared,
                Database::Postgres(_) => open(&database, &faults).await,
            }
        }
    }

    pub(super) fn node_over(&self, store: &Arc<dyn Store>) -> Arc<Engine> {
        let sender: Option<Arc<dyn Sender>> = Some(Arc::new(self.phone.clone()));
        Engine::new(Parts {
            store: Arc::clone(store),
            clock: Arc::new(self.clock.clone()),
            ids: Arc::clone(&self.ids) as Arc<dyn IdSource>,
            ticks: Arc::clone(&self.ticks),
            roster: Arc::clone(&self.roster),
            outlets: std::iter::once(&self.channel)
                .chain(&self.neighbours)
                .map(|channel| Outlet {
                    channel: channel.clone(),
                    sender: sender.clone(),
                    pace: self.pace,
                })
                .collect(),
            tools: self.tools.clone(),
            models: Arc::clone(&self.models),
            settings: self.settings,
        })
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(crate) fn pass_ms(&self, ms: i64) {
        self.clock.advance_ms(ms);
    }

    /// A message, as the channel gives it.
    pub(crate) fn inbound(&self, from: &str, external_id: &str, text: &str) -> Inbound {
        Inbound {
            external_id: external_id.to_owned(),
            from: Identity::new(from),
            content: Content::text(text),
            edits: None,
            sent_at: None,
        }
    }

    pub(crate) async fn take_in(&self, messages: Vec<Inbound>) -> Taken {
        let taken = self.node().intake().ingest(&self.channel.id, messages).await;
        taken.expect("taken in")
    }

    /// A message that nobody has seen before.
    pub(crate) async fn hear(&self, from: &str, text: &str) {
        self.hear_by(&self.node(), &self.channel.id, from, text).await;
    }

    /// The same, brought to a node by a channel.
    pub(crate) async fn hear_by(&self, node: &Arc<Engine>, by: &ChannelId, from: &str, text: &str) {
        let number = self.heard.fetch_add(1, Ordering::SeqCst);
        let message = self.inbound(from, &format!("heard {number}"), text);
        let taken = node.intake().ingest(by, vec![message]).await.expect("taken in");
        assert_eq!(taken.new, 1);
    }

    /// The provider's word on a message of ours.
    pub(crate) async fn report(&self, reference: OutboundId, status: DeliveryStatus) {
        let report = DeliveryReport::new(Reference::Ours(reference), status);
        let taken = self.node().intake().ingest(&self.channel.id, vec![report]).await;
        assert_eq!(taken.expect("taken in").reports, 1);
    }

    /// A new node works all that is due.
    pub(crate) async fn run(&self) {
        run(&self.node()).await;
    }

    /// These nodes work all that is due, many lanes at once.
    pub(crate) async fn run_at_once(&self, nodes: &[Arc<Engine>]) {
        let running: Vec<_> = nodes
            .iter()
            .map(|node| tokio::spawn(Arc::clone(node).run(Duration::from_secs(10))))
            .collect();
        while self.next_due().await.is_some() {
            tokio::task::yield_now().await;
        }
        for node in nodes {
            node.stop();
        }
        for running in running {
            running.await.expect("a node that stopped");
        }
    }

    /// A new node works all that is due at each of the times at which something is, up to then.
    pub(crate) async fn run_for_ms(&self, ms: i64) {
        let end = self.now().plus_ms(ms);
        self.run().await;
        while let Some(due) = self.next_due().await.filter(|due| *due <= end) {
            self.clock.advance_to(due);
            self.run().await;
        }
        self.clock.advance_to(end);
    }

    /// Waits until no lane is held or due, now or later.
    pub(crate) async fn comes_to_rest(&self) {
        while self.next_due().await.is_some() {
            tokio::time::sleep(LOOK).await;
        }
    }

    pub(crate) async fn next_due(&self) -> Option<Timestamp> {
        self.store.next_due().await.expect("the next due lane")
    }

    /// Nothing is due and no lane is held, now or later.
    pub(crate) async fn assert_at_rest(&self) {
        assert_eq!(self.next_due().await, None, "a lane is held or due");
    }

    pub(crate) async fn id_of(&self, from: &str) -> ConversationId {
        let found = self.store.find(self.channel.workspace, &self.channel.id, from).await;
        found.expect("a look-up").expect("a conversation")
    }

    pub(crate) async fn conversation(&self, from: &str) -> Conversation {
        let id = self.id_of(from).await;
        self.store.get(self.channel.workspace, id).await.expect("the conversation")
    }

    /// The customer of a session, as a turn without a yes acts for them.
    pub(crate) async fn caller(&self, from: &str, session: SessionId) -> Caller {
        let Conversation { id, contact, workspace, .. } = self.conversation(from).await;
        let authority = Authority::Turn;
        Caller { workspace, conversation: id, contact: contact.id, session, authority }
    }

    /// The transcript, as `role: words`.
    pub(crate) async fn transcript(&self, from: &str) -> Vec<String> {
        let id = self.id_of(from).await;
        let transcript = self.store.transcript(self.channel.workspace, id, 1_000).await;
        let said =
            |line: &store::Line| format!("{}: {}", line.role.as_str(), line.content.reveal());
        transcript.expect("a transcript").lines.iter().map(said).collect()
    }

    /// The lines that the record attributes to `role`.
    pub(crate) async fn said_by(&self, role: Role, from: &str) -> Vec<String> {
        let prefix = format!("{}: ", role.as_str());
        let lines = self.transcript(from).await;
        lines.iter().filter_map(|line| line.strip_prefix(&prefix)).map(str::to_owned).collect()
    }

    pub(crate) async fn quarantined(&self) -> Vec<Quarantined> {
        self.store
            .quarantined(self.channel.workspace, &AttentionFilter::first(100))
            .await
            .expect("the quarantine")
    }

    pub(crate) async fn to_reconcile(&self) -> Vec<ReconcileItem> {
        self.store
            .reconcile_items(self.channel.workspace, &AttentionFilter::first(100))
            .await
            .expect("what to reconcile")
    }

    pub(crate) async fn take(&self, from: &str, by: &str) {
        let id = self.id_of(from).await;
        let workspace = self.channel.workspace;
        store::take_over(&*self.store, &self.clock, workspace, id, by).await.expect("taken");
    }

    /// Attempts once to take a conversation over.
    pub(crate) async fn try_take(&self, from: &str, by: &str) -> StoreResult<()> {
        let id = self.id_of(from).await;
        self.store.take(self.channel.workspace, id, by, self.now()).await
    }

    /// Takes over while a node stands at the gate, and opens it: at once if the takeover is done,
    /// or when it has to wait for that node. Returns how many messages had been tried when the
    /// takeover was done.
    pub(crate) async fn take_at(&self, gate: &Gate, from: &str, by: &str) -> usize {
        let mut taken = self.try_take(from, by).await;
        let tried = self.phone.tried().len();
        gate.open();
        if taken.is_ok() {
            return tried;
        }
        while taken == Err(StoreError::OnItsWay) {
            tokio::task::yield_now().await;
            taken = self.try_take(from, by).await;
        }
        taken.expect("taken");
        self.phone.tried().len()
    }

    pub(crate) async fn give_back(&self, from: &str, by: &str, note: Option<&str>) {
        let back = GiveBack { note: note.map(str::to_owned), ..GiveBack::default() };
        self.give_back_with(from, by, back).await;
    }

    pub(crate) async fn give_back_with(&self, from: &str, by: &str, back: GiveBack) {
        let (id, event) = (self.id_of(from).await, EventId(self.ids.next()));
        let workspace = self.channel.workspace;
        let given = self.store.give_back(workspace, id, by, back, event, self.now()).await;
        given.expect("given back");
    }

    pub(crate) async fn say(&self, from: &str, by: &str, text: &str) {
        self.say_or(from, by, text, None).await;
    }

    /// An operator's message, and the template that stands for it outside the window.
    pub(crate) async fn say_or(
        &self,
        from: &str,
        by: &str,
        text: &str,
        approved: Option<Approved>,
    ) {
        let id = self.id_of(from).await;
        let message = NewOutbound {
            id: OutboundId(self.ids.next()),
            author: domain::Author::Operator,
            priority: Priority::Operator,
            text: text.into(),
            approved,
            options: Vec::new(),
        };
        let workspace = self.channel.workspace;
        let said = self.store.say(workspace, id, by, message, false, self.now()).await;
        said.expect("said");
    }

    /// All handoffs, newest first.
    pub(crate) async fn handoffs(&self) -> Vec<HandoffRequest> {
        let all = self.store.handoffs(self.channel.workspace, HandoffFilter::default()).await;
        all.expect("the handoffs")
    }

    /// Delivers a text that the business writes to a customer from its own phone.
    pub(crate) async fn phone_writes(&self, to: &str, id: &str, text: &str) -> Echoed {
        let (external_id, to, sent_at) = (id.to_owned(), Identity::new(to), Some(self.now()));
        let echoes = vec![channels::Echo { external_id, to, text: text.into(), sent_at }];
        let delivery = Parsed { echoes, ..Parsed::default() };
        let taken = self.node().intake().ingest(&self.channel.id, delivery).await;
        taken.expect("an echo").echoes[0]
    }

    pub(crate) async fn retry(&self, id: Uuid) {
        let workspace = self.channel.workspace;
        self.store.retry(workspace, id, "marta", self.now()).await.expect("put back");
    }
}

/// Every reading is a millisecond after the last.
#[derive(Default)]
struct OneMsEach(AtomicU64);

impl Ticks for OneMsEach {
    fn nanos(&self) -> u64 {
        self.0.fetch_add(1_000_000, Ordering::SeqCst)
    }
}

struct ByClock(VirtualClock);

impl Ticks for ByClock {
    fn nanos(&self) -> u64 {
        self.0.now().since_ms(START).unsigned_abs() * 1_000_000
    }
}

fn no_models(clock: &VirtualClock) -> Models {
    let clock = Arc::new(clock.clone());
    Models::new(Vec::new(), Prices::default(), Limits::default(), clock, Arc::new(|_| 0))
}

async fn open(database: &Database, faults: &Faults) -> Arc<dyn Store> {
    let faults = faults.clone();
    match database {
        Database::Sqlite { path, .. } => {
            let path = path.clone();
            let options = store_sqlite::Options { path, takes_over_lanes: false };
            let inner = SqliteDriver::open(&options).expect("a database");
            Arc::new(SqlStore::new(Faulty { inner, faults }))
        }
        Database::Postgres(urls) => {
            let inner = PostgresDriver::open(urls.options()).await.expect("a database");
            Arc::new(SqlStore::new(Faulty { inner, faults }))
        }
    }
}

pub(crate) async fn run(node: &Engine) {
    node.run_until_idle().await.expect("worked");
}
