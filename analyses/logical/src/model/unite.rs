//! Unites the programs of all processes into one program.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use foldtrace_fold::{DEFAULT_MAX_BODY, Folder, Model, Shapes};
use foldtrace_topology::recognition::{DirectionId, Topology};
use foldtrace_trace::SymbolId;
use indexmap::IndexMap;

use super::weave::{Strand, Weave};
use super::{Alphabet, Letter};

/// The word of a process or a program, as a model of letters.
#[derive(Clone, Debug)]
pub struct Own {
    /// The alphabet of the word.
    pub alphabet: Alphabet,
    /// The model of the word.
    pub model: Model,
}

/// The number of terms that the words of several processes may still have together.
#[derive(Debug)]
pub struct Budget(AtomicU64);

impl Budget {
    /// Creates a budget of this number of terms.
    #[must_use]
    pub const fn new(terms: u64) -> Self {
        Self(AtomicU64::new(terms))
    }

    /// Returns whether terms were left for this number of new ones.
    fn spend(&self, terms: u64) -> bool {
        let left = |left: u64| left.checked_sub(terms);
        self.0.fetch_update(Relaxed, Relaxed, left).is_ok()
    }
}

/// An incremental folding of a word, letter by letter.
#[derive(Clone, Debug)]
pub struct Folding<'a> {
    budget: Option<&'a Budget>,
    /// The number of terms for which the budget has been spent.
    spent: usize,
    /// Whether no budget is left.
    is_over: bool,
    alphabet: Alphabet,
    shapes: Shapes,
    folder: Folder,
    waiting: Vec<SymbolId>,
}

/// The number of letters that are folded at once.
const BATCH: usize = 1 << 12;

impl<'a> Folding<'a> {
    /// Creates a folding of a word with the letters of `alphabet`. Loop bodies have at most `max_body` terms.
    #[must_use]
    pub fn new(alphabet: Alphabet, max_body: usize) -> Self {
        Self {
            budget: None,
            spent: 0,
            is_over: false,
            alphabet,
            shapes: Shapes::default(),
            folder: Folder::new(max_body),
            waiting: Vec::with_capacity(BATCH),
        }
    }

    /// Ends the folding when the budget is spent.
    #[must_use]
    pub fn within(self, budget: &'a Budget) -> Self {
        Self {
            budget: Some(budget),
            ..self
        }
    }

    /// Adds the next letter.
    pub fn take(&mut self, letter: Letter) {
        let symbol = self.alphabet.intern(letter);
        self.push(symbol);
    }

    fn push(&mut self, symbol: SymbolId) {
        self.waiting.push(symbol);
        if self.waiting.len() == BATCH {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let symbols = self.alphabet.symbols();
        self.shapes.update(symbols);
        if !self.is_over {
            self.folder.push(&self.waiting, symbols, &self.shapes);
        }
        self.waiting.clear();
        if let Some(budget) = self.budget {
            let new = self.folder.settled().saturating_sub(self.spent);
            self.spent += new;
            if !budget.spend(new as u64) {
                self.is_over = true;
                self.folder = Folder::new(1);
            }
        }
    }

    /// Ends the word and returns its model; `None` if the budget is spent.
    #[must_use]
    pub fn finish_within(mut self) -> Option<Own> {
        self.flush();
        (!self.is_over).then(|| self.finish())
    }

    /// Ends the word and returns its model.
    #[must_use]
    pub fn finish(mut self) -> Own {
        self.flush();
        let model = self.folder.finish(self.alphabet.symbols(), &self.shapes);
        Own {
            alphabet: self.alphabet,
            model,
        }
    }
}

/// The properties of a process that its node determines.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct NodeProperties {
    /// Whether the process can execute the letters of each row of symbols.
    pub does: Vec<bool>,
    /// Whether the process has a neighbour in each direction.
    pub neighbours: Vec<bool>,
}

/// Processes that execute the same program and have neighbours in the same directions.
pub(super) struct Class {
    pub place: NodeProperties,
    pub model: Model,
    pub nodes: Vec<u32>,
}

/// Groups processes into classes, given the program and node of each process. The alphabet that is returned
/// contains the letters of all models.
pub(super) fn classes(own: Vec<(Own, u32)>, topology: &Topology) -> (Alphabet, Vec<Class>) {
    let alphabets = own.iter().map(|(own, _)| &own.alphabet);
    let (alphabet, ids) = Alphabet::joined(topology, alphabets);
    let renamed = own.into_iter().zip(ids).map(|((own, node), ids)| {
        let name = |id: SymbolId| id.in_row(ids[id.row()]);
        (own.model.renamed(&name), node)
    });
    let models: Vec<(Model, u32)> = renamed.collect();
    let letters = alphabet.letters();
    let mut alike: IndexMap<(NodeProperties, Model), Vec<u32>> = IndexMap::new();
    for (model, node) in models {
        let does = letters.of_rows();
        let does = does.map(|letter| letter.is_some_and(|l| l.is_of(node, topology)));
        let directions = (0..topology.directions.len() as u32).map(DirectionId);
        let neighbours = directions.map(|d| topology.neighbour(node, d).is_some());
        let place = NodeProperties {
            does: does.collect(),
            neighbours: neighbours.collect(),
        };
        alike.entry((place, model)).or_default().push(node);
    }
    let classes = alike.into_iter().map(|((place, model), nodes)| Class {
        place,
        model,
        nodes,
    });
    (alphabet, classes.collect())
}

/// Unites `own`, the program and node of each process, into one program that contains all of them as far as
/// possible. Loop bodies of that program have at most `max_body` terms.
///
/// Returns the program and the number of different programs it was made of.
#[must_use]
pub fn unite(own: Vec<(Own, u32)>, topology: &Topology, max_body: Option<usize>) -> (Own, usize) {
    let (alphabet, classes) = classes(own, topology);
    let parts = classes.len();
    let symbols = alphabet.symbols().clone();
    let strands = classes.into_iter().map(|class| Strand {
        word: class.model.expand(&symbols),
        length: class.model.events,
        weight: class.nodes.len() as u64,
        does: class.place.does,
        neighbours: class.place.neighbours,
    });
    let weave = Weave::new(strands.collect(), symbols.len());
    let mut folding = Folding::new(alphabet, max_body.unwrap_or(DEFAULT_MAX_BODY));
    for (symbol, guard) in weave {
        let symbol = match guard {
            Some(guard) => folding.alphabet.guarded(symbol, guard),
            None => symbol,
        };
        folding.push(symbol);
    }
    let mut program = folding.finish();
    program.model = program.model.tidied();
    (program, parts)
}
