//! Export and import of rules as a page that people read and edit.

use std::{collections::HashSet, io::Read, path::Path};

use super::{
    Engine,
    export::cannot_write,
    import::{open_limited, refusal},
    rule_set::{evict_for_new_rule, update_conflicts},
};
use crate::{
    error::{Code, Error, Result},
    model::{
        Changed, Exported, Imported, InterfaceLanguage, KindCount, KindTaken, Language, ProjectId, Reason, RecordKind,
        Rule, RuleChange, RuleDraft, RuleStanding, Scope, TombstoneCause, Topic,
    },
    semantic::{
        rules as next,
        sheet::{self, Item},
    },
    storage::{Tx, rules, tombstones},
    validate,
};

/// Maximum size of an imported page, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// The identity of a rule on a page: its words and its scope.
type RuleIdentity = (String, Option<String>, Option<String>);

fn rule_identity(words: &str, scene_type: Option<&String>, skill_used: Option<&String>) -> RuleIdentity {
    (sheet::normalized_words(words), scene_type.cloned(), skill_used.cloned())
}

impl Engine {
    /// Exports the rules in force to a page: the global ones, and those of a project where one is given.
    ///
    /// # Errors
    /// As [`Engine::export`].
    pub fn export_sheet(&self, project_id: Option<&ProjectId>, path: &Path) -> Result<Exported> {
        let open = project_id.map(|id| self.visit(id)).transpose()?;
        let language = open.as_ref().map_or_else(|| self.language_of_interface(), |book| book.language);
        let mut list = rules::list(&*self.stores.rules.open()?.reader()?, project_id, None)?;
        list.retain(|rule| rule.standing == RuleStanding::Active);
        let page = sheet::format_page(open.as_ref().map(|book| book.title.as_str()), language, &list);
        self.write_out(path, |out| out.write_all(page.as_bytes()).map_err(|error| cannot_write(&error)))?;
        let kinds = vec![KindCount { kind: RecordKind::Rule, count: u32::try_from(list.len()).unwrap_or(u32::MAX) }];
        Ok(Exported { kinds, left_out: 0, exported_at: self.clock.now() })
    }

    /// Imports the new lines of a page as rules that the writer adds by hand: for the project, or global where no
    /// project is given or the line marks it. A rule that exists with the same words stays as it is; a rule that the
    /// writer deleted is not restored this way. All lines are imported, or none.
    ///
    /// # Errors
    /// `MEMORY_INVALID_ARGUMENT`, with the number of the line and the reason in `details`; `MEMORY_NOT_FOUND`;
    /// `MEMORY_CAPACITY_EXCEEDED`; those of the store.
    pub fn import_sheet(
        &self,
        project_id: Option<&ProjectId>,
        path: &Path,
        dry_run: bool,
    ) -> Result<Changed<Imported>> {
        // Read before any lock is taken: the file may be on slow storage.
        let items = read_page(path)?;
        let _alone = self.upkeep.lock_files();
        self.nothing_is_cleared()?;
        let _open = project_id.map(|id| self.visit(id)).transpose()?;
        let tried = self.apply_sheet(&items, project_id, true)?;
        let imported = Imported { dry_run, kinds: vec![tried], backed_up: false };
        if dry_run || !imported.changes() {
            return Ok(Changed::new(imported, None, []));
        }
        self.back_up_before_import()?;
        let kinds = vec![self.apply_sheet(&items, project_id, false)?];
        // Some of the rules may be global.
        Ok(Changed::new(Imported { dry_run, kinds, backed_up: true }, None, [Topic::Rules, Topic::Backups]))
    }

    fn apply_sheet(&self, items: &[Item], project_id: Option<&ProjectId>, only_try: bool) -> Result<KindTaken> {
        let now = self.clock.now();
        let mut done = None;
        let taken = self.stores.rules.open()?.write("import a rule sheet", |tx| {
            let mut count = KindTaken::none(RecordKind::Rule);
            let mut homes = HashSet::new();
            for item in items {
                let project = project_id.filter(|_| !item.global);
                let rule = next::added(drafted(item, project), self.ids.next(now).into(), now);
                if is_known(tx, &rule)? {
                    count.same += 1;
                } else if is_deleted(tx, &rule)? {
                    count.left_out += 1;
                } else {
                    evict_for_new_rule(tx, project, now)?;
                    rules::upsert(tx, &rule, RuleChange::Added, None)?;
                    homes.insert(project);
                    count.new += 1;
                }
            }
            for project in homes {
                update_conflicts(tx, project, now, &*self.ids, true)?;
            }
            done = Some(count);
            if only_try { Err(Error::new(Code::InvalidArgument, "it was only tried")) } else { Ok(()) }
        });
        match (taken, done) {
            (Err(error), None) => Err(error),
            (Err(error), Some(_)) if !only_try => Err(error),
            (_, Some(count)) => Ok(count),
            (Ok(()), None) => Err(Error::new(Code::StoreUnavailable, "nothing was written")),
        }
    }

    fn language_of_interface(&self) -> Language {
        match self.settings().interface_language {
            InterfaceLanguage::En => Language::En,
            InterfaceLanguage::System | InterfaceLanguage::ZhCn => Language::Zh,
        }
    }
}

fn read_page(path: &Path) -> Result<Vec<Item>> {
    let mut page = Vec::new();
    open_limited(path, MAX_BYTES)?
        .read_to_end(&mut page)
        .map_err(|error| refusal(1, Reason::Unreadable, None).caused_by(error).while_doing("read a file"))?;
    let page = String::from_utf8(page).map_err(|error| {
        let before = error.as_bytes().iter().take(error.utf8_error().valid_up_to()).filter(|byte| **byte == b'\n');
        refusal(u32::try_from(before.count()).unwrap_or(u32::MAX).saturating_add(1), Reason::NotUtf8, None)
    })?;
    let items = sheet::parse_page(&page).map_err(|wrong| refusal(wrong.line, wrong.reason, None))?;
    for item in &items {
        let bad = |column: &'static str| move |_| refusal(item.line, Reason::BadValue, Some(column));
        validate::line("", &item.rule, validate::RULE_CHARS).map_err(bad("rule"))?;
        validate::optional_name("", item.scene_type.as_deref()).map_err(bad("scene_type"))?;
        validate::optional_name("", item.skill_used.as_deref()).map_err(bad("skill_used"))?;
    }
    Ok(items)
}

fn drafted(item: &Item, project_id: Option<&ProjectId>) -> RuleDraft {
    RuleDraft {
        rule: item.rule.clone(),
        category: item.category,
        scope: if project_id.is_some() { Scope::Project } else { Scope::Global },
        project_id: project_id.cloned(),
        scene_type: item.scene_type.clone(),
        skill_used: item.skill_used.clone(),
        dimension: None,
    }
}

/// Whether a rule of the project, or a global one, has these words already.
fn is_known(tx: &Tx<'_>, rule: &Rule) -> Result<bool> {
    let new = rule_identity(&rule.rule, rule.scene_type.as_ref(), rule.skill_used.as_ref());
    let here = rules::list(tx, rule.project_id.as_ref(), None)?;
    Ok(here.iter().any(|here| rule_identity(&here.rule, here.scene_type.as_ref(), here.skill_used.as_ref()) == new))
}

/// Whether the writer has deleted a rule with these words in this scope.
fn is_deleted(tx: &Tx<'_>, rule: &Rule) -> Result<bool> {
    let place = (&rule.project_id, &rule.scene_type, &rule.skill_used);
    let stones = tombstones::list(tx)?.into_iter().filter(|stone| stone.why == TombstoneCause::Deleted);
    let mut there = stones.filter(|stone| (&stone.project_id, &stone.scene_type, &stone.skill_used) == place);
    Ok(there.any(|stone| stone.has_words(&rule.rule)))
}
