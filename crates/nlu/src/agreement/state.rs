//! The state of reading a message, and the change that each phrase makes to it.

/// The part a phrase plays in an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// "Sí", which without its accent may also be an if.
    Si,
    /// A yes in a word, an idiom or a judgement of the whole.
    Assent,
    /// An assent that after a yes and an "if" would be a condition ("dale si está bien").
    AssentIf,
    /// An assent said in mockery as easily as in earnest ("claro").
    Easy,
    /// An assent that after a yes is hardly ever said in earnest ("sí, cómo no").
    Mocking,
    /// An order to go ahead.
    Act,
    /// Declares the order confirmed, which right after a person may tell what that person did.
    Declared,
    /// An act that after a yes and an "if" would be a condition ("dale si pueden mandarlo").
    ActIf,
    /// An act that after any "if" would be a condition ("si me lo mandan").
    Supposed,
    /// An act as an infinitive, which after another verb is only its object.
    Infinitive,
    /// Orders it sent or wants it, which answers nothing if something else was asked.
    Want,
    /// Declares the order confirmed in a form that may also tell of somebody else ("dale si
    /// confirma").
    DeclaredIf,
    /// Judges the whole, which also makes up for data vouched for ("lo revisé y está todo bien").
    Judged,
    /// Judges the words just repeated ("$9.400 está bien").
    Fits,
    /// Opens a message and would mock after a yes ("right, confirm" and "yeah right").
    Opening,
    /// A name with a possessive, which right before a verb is somebody else ("mi señora confirma").
    Called,
    /// Changes nothing: courtesy, emphasis, satisfaction.
    Beside,
    /// Objects to nothing, which after an if would be a condition ("si no hay problema").
    Unopposed,
    /// A kiss or the like, which right after a verb is its object ("dale un beso").
    Regards,
    /// A greeting or thanks, which a name may follow.
    Calling,
    /// A greeting in the form of a question.
    HowAreYou,
    /// Nothing more, which beside goods leaves the others out.
    Only,
    /// Amusement, which a yes survives once.
    Wry,
    /// Amusement that only a yes before it survives.
    Laughing,
    /// Words said mostly in mockery.
    VeryWry,
    /// Joins two phrases.
    Link,
    /// Gives a reason or the thing confirmed; a yes or a satisfaction must follow.
    Because,
    /// Announces a name that was shown.
    Naming,
    /// Vouches for a datum, which agrees to nothing by itself.
    OwnData,
    /// The way of paying that was shown.
    Payment,
    /// The time of payment, which belongs to a sum and would otherwise put the yes off.
    OnReceipt,
    /// A name for the person spoken to.
    Person,
    /// Hesitates, so that only an act agrees.
    Hesitation,
    /// A clause that objects to nothing or thanks, beside which the yes must be a plain one.
    Aside,
    /// A clause that praises, which right after a verb is its object ("mandale un saludo").
    Praise,
    /// A clause that tells of having looked, which agrees to nothing by itself.
    Looked,
}

/// How plain a yes must be, given the phrases beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Need {
    Any,
    Plain,
    Act,
}

/// The last phrase, as far as the next one depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Last {
    Start,
    /// A "si" without an accent that may be an if.
    Si {
        after_yes: bool,
    },
    /// Words for a possible act, right after such a "si".
    Supposed,
    Yes,
    Beside,
    Calling,
    Person,
    Called,
    Link,
    Because,
    Naming,
    Shown,
}

/// The strength of the yes so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    None,
    Assent,
    Act,
}

/// A way to have read the message up to a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct State {
    pub(super) strength: Strength,
    pub(super) last: Last,
    /// How much of the message sounds like mockery, up to two.
    pub(super) wry: u8,
    pub(super) only: bool,
    pub(super) goods: bool,
    /// Whether a datum was vouched for, so that only an act or a judgement agrees.
    pub(super) own_data: bool,
    pub(super) judged: bool,
    /// Whether a verb is open: goods that follow without a break are its object.
    pub(super) open: bool,
    /// Whether a yes was said that is nothing else.
    pub(super) plain: bool,
    pub(super) need: Need,
}

impl State {
    pub(super) const START: State = State {
        strength: Strength::None,
        last: Last::Start,
        wry: 0,
        only: false,
        goods: false,
        own_data: false,
        judged: false,
        open: false,
        plain: false,
        need: Need::Any,
    };

    /// The state after a phrase, or `None` if the phrase cannot follow. `broken` says that
    /// punctuation stands before it, `stressed` that it ends in an accent.
    pub(super) fn after(self, role: Role, broken: bool, stressed: bool) -> Option<State> {
        if !self.may_follow(role, broken) {
            return None;
        }
        let strength = self.strength.max(role.strength());
        let wry = match role {
            Role::Wry => self.wry + 1,
            Role::Easy => self.wry + 1,
            Role::Laughing => self.wry + 1 + u8::from(self.strength == Strength::None),
            Role::Mocking => self.wry + 1 + u8::from(self.strength > Strength::None),
            // A second "sí" may be impatient; more of them are only eager.
            Role::Si if matches!(self.last, Last::Si { .. }) => self.wry.max(1),
            Role::VeryWry => self.wry + 2,
            _ => self.wry,
        };
        Some(State {
            strength,
            last: self.last_after(role, stressed),
            wry: wry.min(2),
            only: self.only || role == Role::Only,
            goods: self.goods,
            own_data: self.own_data || matches!(role, Role::OwnData | Role::Looked),
            judged: self.judged || matches!(role, Role::Judged | Role::Fits),
            open: self.open && !broken || role.strength() == Strength::Act,
            plain: self.plain || role == Role::Si || role.strength() == Strength::Act,
            need: self.need.max(role.need()),
        })
    }

    /// The same state, after a yes that is nothing else.
    pub(super) fn plainly(self) -> State {
        State { plain: true, ..self }
    }

    /// The state after words that repeat what was shown.
    pub(super) fn after_shown(self, broken: bool, goods: bool) -> Option<State> {
        let if_so = !broken && matches!(self.last, Last::Si { after_yes: true });
        let adds = matches!(self.last, Last::Link | Last::Because);
        (!if_so && !adds).then_some(State {
            last: Last::Shown,
            goods: self.goods || goods,
            own_data: self.own_data || self.last == Last::Naming,
            open: self.open && !broken,
            ..self
        })
    }

    /// The state after a name that addresses somebody.
    pub(super) fn after_name(self, broken: bool) -> Option<State> {
        let called = match self.last {
            Last::Calling => true,
            Last::Yes | Last::Supposed | Last::Si { .. } => !broken,
            _ => false,
        };
        called.then_some(State { last: Last::Beside, ..self })
    }

    /// Whether a message that ends here is a yes.
    pub(super) fn agrees(self) -> bool {
        let complete = !matches!(self.last, Last::Link | Last::Because | Last::Naming);
        let vouches = self.own_data && !self.judged;
        let meant = self.strength == Strength::Act || !vouches && self.wry < 2;
        let enough = match self.need {
            Need::Any => true,
            Need::Plain => self.plain || self.judged && self.own_data,
            Need::Act => self.strength == Strength::Act,
        };
        self.strength > Strength::None && complete && meant && enough && !(self.only && self.goods)
    }

    fn may_follow(self, role: Role, broken: bool) -> bool {
        let first = self.last == Last::Start;
        let none = self.strength == Strength::None;
        // A name that opens the message may be that of somebody else who agrees.
        let reported =
            none && !broken && self.last == Last::Shown && role.strength() > Strength::None;
        let conditional = !broken
            && match self.last {
                Last::Si { after_yes } => role.is_condition(after_yes),
                _ => false,
            };
        let joined = match self.last {
            Last::Naming => false,
            Last::Link => !matches!(role, Role::Link | Role::Because | Role::Only | Role::Si),
            Last::Because => {
                matches!(
                    role,
                    Role::Si
                        | Role::Assent
                        | Role::AssentIf
                        | Role::Judged
                        | Role::Easy
                        | Role::Act
                        | Role::Declared
                        | Role::DeclaredIf
                )
            }
            _ => true,
        };
        let begins = match role {
            Role::Link => !first,
            Role::Because => {
                matches!(self.last, Last::Yes | Last::Supposed | Last::Beside | Last::Person)
            }
            Role::OnReceipt => self.last == Last::Shown && !broken,
            Role::Declared | Role::DeclaredIf if self.last == Last::Person => broken || !none,
            role if self.last == Last::Supposed && role.strength() > Strength::None => broken,
            role if self.last == Last::Called && role.strength() > Strength::None => broken,
            Role::Fits => self.last == Last::Shown && !broken && !self.goods,
            Role::Opening => first,
            Role::Regards => broken || self.last != Last::Yes || !self.open,
            Role::Called => !first && self.last != Last::Link,
            Role::Infinitive => broken || self.last != Last::Yes,
            Role::Hesitation => none,
            Role::Praise if self.open && self.last == Last::Yes => broken,
            Role::Aside | Role::Praise | Role::Looked => {
                broken || !matches!(self.last, Last::Shown | Last::Supposed)
            }
            _ => true,
        };
        joined && begins && !conditional && !reported
    }

    fn last_after(self, role: Role, stressed: bool) -> Last {
        match role {
            // A repeated "si", or one with its accent, is no "if".
            Role::Si if stressed || matches!(self.last, Last::Si { .. }) => Last::Yes,
            Role::Si => Last::Si { after_yes: self.strength > Strength::None },
            Role::ActIf | Role::DeclaredIf if matches!(self.last, Last::Si { .. }) => {
                Last::Supposed
            }
            role if role.strength() > Strength::None => Last::Yes,
            Role::Calling => Last::Calling,
            Role::Link => Last::Link,
            Role::Because => Last::Because,
            Role::Naming => Last::Naming,
            Role::Person => Last::Person,
            Role::Called => Last::Called,
            _ => Last::Beside,
        }
    }
}

impl Role {
    pub(super) fn strength(self) -> Strength {
        match self {
            Role::Si
            | Role::Assent
            | Role::AssentIf
            | Role::Judged
            | Role::Easy
            | Role::Mocking => Strength::Assent,
            Role::Act
            | Role::Declared
            | Role::DeclaredIf
            | Role::ActIf
            | Role::Supposed
            | Role::Infinitive
            | Role::Want => Strength::Act,
            _ => Strength::None,
        }
    }

    fn need(self) -> Need {
        match self {
            Role::Hesitation => Need::Act,
            Role::Aside | Role::Praise | Role::Looked => Need::Plain,
            _ => Need::Any,
        }
    }

    /// Whether the phrase, right after a bare "si", states a condition.
    fn is_condition(self, after_yes: bool) -> bool {
        match self {
            Role::AssentIf
            | Role::Judged
            | Role::ActIf
            | Role::DeclaredIf
            | Role::Called
            | Role::Naming
            | Role::OwnData => after_yes,
            Role::Supposed | Role::Unopposed | Role::Payment => true,
            Role::Aside | Role::Praise | Role::Looked => true,
            _ => false,
        }
    }
}
