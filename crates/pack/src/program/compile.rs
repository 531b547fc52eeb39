//! From the files of a checked pack to the program of one of its flows.

use std::collections::BTreeMap;

use super::{
    Action, Call, Choice, Collect, Condition, FlowTimer, HandoffRules, Inputs, IntentId, Intents,
    Mode, ModeId, Program, Shop, Step, Summary, Tool, Way,
};
use crate::expression::Expression;
use crate::files::{self, Flow, FlowShop, HandoffTrigger, Means, Tools};

impl Program {
    /// Compiles a flow with the tools of its pack. A checked pack cannot fail here; should it,
    /// the reason says what the flow names that is not there.
    pub fn compile(flow: &Flow, tools: &Tools, intents: &files::Intents) -> Result<Self, String> {
        Compiler { flow, tools: held(tools)?, intents: Intents::of(intents) }.program()
    }
}

/// The pack's hold on each tool, its own HTTP tools among them.
fn held(tools: &Tools) -> Result<BTreeMap<String, Tool>, String> {
    let own = tools.tools.iter().map(|tool| (&tool.name, &tool.bind, &tool.when));
    let http = tools.http.iter().map(|tool| (&tool.name, &tool.bind, &tool.when));
    let tool = |(name, bind, when): (&String, &BTreeMap<String, String>, &Option<String>)| {
        let tool = Tool { bind: inputs(bind)?, when: condition(when.as_ref())?, saves: Vec::new() };
        Ok((name.clone(), tool))
    };
    own.chain(http).map(tool).collect()
}

fn expression(text: &str) -> Result<Expression, String> {
    Expression::parse(text).map_err(|error| format!("`{text}`: {error}"))
}

fn condition(text: Option<&String>) -> Result<Condition, String> {
    text.map(|text| expression(text)).transpose().map(Condition)
}

fn inputs(texts: &BTreeMap<String, String>) -> Result<Inputs, String> {
    texts.iter().map(|(name, text)| Ok((name.clone(), expression(text)?))).collect()
}

struct Compiler<'a> {
    flow: &'a Flow,
    tools: BTreeMap<String, Tool>,
    intents: Intents,
}

impl Compiler<'_> {
    fn program(mut self) -> Result<Program, String> {
        let flow = self.flow;
        for (name, actions) in &flow.intents {
            let (id, steps) = (self.intent(name)?, self.steps(actions)?);
            self.intents.get_mut(id).steps = Some(steps);
        }
        let modes = flow.modes.iter().map(|mode| self.mode(mode)).collect::<Result<_, _>>()?;
        let timers = flow.timers.iter().map(|timer| self.timer(timer)).collect::<Result<_, _>>()?;
        let summaries =
            flow.summaries.iter().map(|one| self.summary(one)).collect::<Result<_, _>>()?;
        let choices = flow.choices.iter().map(|one| self.choice(one)).collect::<Result<_, _>>()?;
        Ok(Program {
            initial: self.id(&flow.initial)?,
            bands: flow.bands,
            begin: self.steps(&flow.begin)?,
            shop: flow.shop.as_ref().map(|shop| self.shop(shop)).transpose()?,
            collect: flow.collect.as_ref().map(|collect| self.collect(collect)).transpose()?,
            choices,
            values: flow.values.clone(),
            summaries,
            messages: flow.messages.clone(),
            escalation: flow.escalation.clone(),
            handoff: self.handoff(&flow.handoff)?,
            intents: self.intents,
            timers,
            modes,
            tools: self.tools,
        })
    }

    fn id(&self, mode: &str) -> Result<ModeId, String> {
        let place = self.flow.modes.iter().position(|one| one.name == mode);
        place.map(ModeId).ok_or_else(|| format!("there is no mode `{mode}`"))
    }

    fn ids(&self, modes: &[String]) -> Result<Vec<ModeId>, String> {
        modes.iter().map(|mode| self.id(mode)).collect()
    }

    fn steps(&mut self, actions: &[files::Action]) -> Result<Vec<Step>, String> {
        actions.iter().map(|action| self.step(action)).collect()
    }

    fn lists(
        &mut self,
        lists: &BTreeMap<String, Vec<files::Action>>,
    ) -> Result<BTreeMap<String, Vec<Step>>, String> {
        lists.iter().map(|(name, actions)| Ok((name.clone(), self.steps(actions)?))).collect()
    }

    fn intent(&self, name: &str) -> Result<IntentId, String> {
        self.intents.named(name).ok_or_else(|| format!("there is no intent `{name}`"))
    }

    fn intents(&self, names: &[String]) -> Result<Vec<IntentId>, String> {
        names.iter().map(|name| self.intent(name)).collect()
    }

    /// The steps of intents in a mode.
    fn answers(&mut self, mode: &files::Mode) -> Result<BTreeMap<IntentId, Vec<Step>>, String> {
        let mut answers = BTreeMap::new();
        for (name, actions) in &mode.intents {
            answers.insert(self.intent(name)?, self.steps(actions)?);
        }
        Ok(answers)
    }

    /// The intent that a plain yes or no is in a mode: the first by name that it has something to do for.
    fn meaning(&self, mode: &files::Mode, means: Means) -> Option<IntentId> {
        let mut ids = mode.intents.keys().filter_map(|name| self.intents.named(name));
        ids.find(|id| self.intents.get(*id).means == Some(means))
    }

    fn shop(&self, shop: &FlowShop) -> Result<Shop, String> {
        let files::ShopIntents { change, ask, choose } = &shop.intents;
        Ok(Shop {
            catalogue: shop.catalogue.clone(),
            change: self.intent(change)?,
            ask: self.intent(ask)?,
            choose: self.intent(choose)?,
            messages: shop.messages.clone(),
        })
    }

    fn step(&mut self, action: &files::Action) -> Result<Step, String> {
        Ok(Step {
            when: condition(action.when.as_ref())?,
            action: self.action(action)?,
            otherwise: self.steps(&action.otherwise)?,
        })
    }

    fn action(&mut self, action: &files::Action) -> Result<Action, String> {
        let files::Action { say, go, call, shop, set, stamp, hand_off, close, .. } = action;
        Ok(match (say, go, call, shop, set, stamp, hand_off, close) {
            (Some(template), None, None, None, None, None, None, None) => {
                Action::Say(template.clone())
            }
            (None, Some(mode), None, None, None, None, None, None) => Action::Go(self.id(mode)?),
            (None, None, Some(tool), None, None, None, None, None) => {
                self.keeps(tool, action.save.as_ref());
                let (with, save) = (inputs(&action.with)?, action.save.clone());
                Action::Call(Call { tool: tool.clone(), with, save })
            }
            (None, None, None, Some(act), None, None, None, None) => Action::Shop(*act),
            (None, None, None, None, Some(set), None, None, None) => Action::Choose(inputs(set)?),
            (None, None, None, None, None, Some(stamp), None, None) => Action::Stamp(stamp.clone()),
            (None, None, None, None, None, None, Some(reason), None) => Action::HandOff {
                trigger: action.trigger.unwrap_or(HandoffTrigger::Rule),
                reason: reason.clone(),
            },
            (None, None, None, None, None, None, None, Some(true)) => Action::Close,
            _ => return Err("an action does exactly one thing".to_owned()),
        })
    }

    /// Notes the name under which a tool's answer is kept.
    fn keeps(&mut self, tool: &str, save: Option<&String>) {
        let Some(save) = save else { return };
        let saves = &mut self.tools.entry(tool.to_owned()).or_default().saves;
        if !saves.contains(save) {
            saves.push(save.clone());
        }
    }

    fn mode(&mut self, mode: &files::Mode) -> Result<Mode, String> {
        let ways = mode.to.iter().map(|way| {
            let (to, when) = (self.id(&way.mode)?, condition(way.when.as_ref())?);
            Ok(Way { to, when, because: way.because.clone() })
        });
        Ok(Mode {
            to: ways.collect::<Result<_, String>>()?,
            name: mode.name.clone(),
            description: mode.description.clone(),
            collects: mode.collects,
            expects: self.intents(&mode.expects)?,
            enter: self.steps(&mode.enter)?,
            yes: self.meaning(mode, Means::Yes),
            no: self.meaning(mode, Means::No),
            intents: self.answers(mode)?,
            after: self.lists(&mode.after)?,
            bridge: self.steps(&mode.bridge)?,
            tools: mode.tools.clone(),
            templates: mode.templates.clone(),
            own_words: mode.own_words.clone(),
            end: mode.end,
        })
    }

    fn timer(&mut self, timer: &files::FlowTimer) -> Result<FlowTimer, String> {
        Ok(FlowTimer {
            name: timer.name.clone(),
            modes: self.ids(&timer.modes)?,
            when: condition(timer.when.as_ref())?,
            after: timer.after,
            actions: self.steps(&timer.actions)?,
        })
    }

    fn summary(&mut self, summary: &files::Summary) -> Result<Summary, String> {
        Ok(Summary {
            template: summary.template.clone(),
            proposes: summary.proposes.clone(),
            with: inputs(&summary.with)?,
            open_after: summary.open_after.clone(),
            then: self.steps(&summary.then)?,
        })
    }

    fn choice(&self, choice: &files::ChoiceSet) -> Result<Choice, String> {
        Ok(Choice {
            name: choice.name.clone(),
            intent: self.intent(&choice.intent)?,
            asked_in: self.ids(&choice.asked_in)?,
            options: choice.options.clone(),
        })
    }

    fn collect(&mut self, collect: &files::Collect) -> Result<Collect, String> {
        let at_times = collect.minimum_when.iter();
        let at_times = at_times.map(|(field, when)| Ok((field.clone(), condition(Some(when))?)));
        Ok(Collect {
            minimum: collect.minimum.clone(),
            minimum_when: at_times.collect::<Result<_, String>>()?,
            known: inputs(&collect.known)?,
            keep: collect.keep.clone(),
            quiet: self.intents(&collect.quiet)?,
            complete: self.steps(&collect.complete)?,
        })
    }

    fn handoff(&self, handoff: &files::HandoffRules) -> Result<HandoffRules, String> {
        let returns = handoff.returns.iter();
        let returns = returns.map(|to| Ok((self.id(&to.mode)?, condition(to.when.as_ref())?)));
        Ok(HandoffRules {
            mode: handoff.mode.as_deref().map(|mode| self.id(mode)).transpose()?,
            attending: handoff.attending.clone(),
            unattended: handoff.unattended.clone(),
            closed: handoff.closed.clone(),
            returns: returns.collect::<Result<_, String>>()?,
        })
    }
}
