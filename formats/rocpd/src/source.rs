//! The tables of events, and the queries that read them.

use foldtrace_database::{AttributeColumn, Database, Order, Query, Survey, Table, quoted};
use foldtrace_trace::TraceError;

use crate::places::PlaceColumns;

/// The table of strings, which every set of tables has.
pub(crate) const STRINGS: &str = "rocpd_string";

/// A column that does not exist: its cells have no values.
pub(crate) const NONE: usize = usize::MAX;

/// What the rows of a table are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// Calls of threads, whose name is a string.
    Region,
    Kernel,
    Copy,
    Allocation,
    /// Marks of a thread.
    Sample,
    /// Values of counters, at the beginnings of kernels and at samples.
    Counter,
}

/// The columns of a query that have a meaning of their own; [`NONE`] for those that the table does not have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Roles {
    /// The number of the name.
    pub name: usize,
    /// The numbers of the category, and the data of the event.
    pub category: usize,
    pub data: usize,
    /// The kind and the level of an allocation.
    pub kind: usize,
    pub level: usize,
    /// The number of a counter, and its value.
    pub counter: usize,
    pub value: usize,
}

impl Default for Roles {
    fn default() -> Self {
        Self {
            name: NONE,
            category: NONE,
            data: NONE,
            kind: NONE,
            level: NONE,
            counter: NONE,
            value: NONE,
        }
    }
}

/// A table of events, and the query that reads it.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// The number of the set of tables, and its suffix.
    pub tables: usize,
    pub suffix: String,
    pub table: Table,
    pub meaning: Meaning,
    pub place: PlaceColumns,
    pub roles: Roles,
    pub attributes: Vec<AttributeColumn>,
    pub survey: Survey,
    columns: Vec<String>,
    /// The table, as `R`, and those that are joined to it.
    from: String,
}

/// The tables of events, what their rows are, and where they happen.
const TABLES: [(&str, Meaning, PlaceColumns); 5] = [
    ("rocpd_region", Meaning::Region, PlaceColumns::Thread),
    (
        "rocpd_kernel_dispatch",
        Meaning::Kernel,
        PlaceColumns::Kernel,
    ),
    ("rocpd_memory_copy", Meaning::Copy, PlaceColumns::Copy),
    (
        "rocpd_memory_allocate",
        Meaning::Allocation,
        PlaceColumns::Thread,
    ),
    ("rocpd_sample", Meaning::Sample, PlaceColumns::Thread),
];

/// Columns that become attributes, by the meaning of their table.
fn attribute_names(meaning: Meaning) -> &'static [&'static str] {
    match meaning {
        Meaning::Kernel => &[
            "dispatch_id",
            "workgroup_size_x",
            "workgroup_size_y",
            "workgroup_size_z",
            "grid_size_x",
            "grid_size_y",
            "grid_size_z",
            "private_segment_size",
            "group_segment_size",
        ],
        Meaning::Copy => &[
            "size",
            "src_agent_id",
            "dst_agent_id",
            "src_address",
            "dst_address",
        ],
        Meaning::Allocation => &["size", "agent_id", "address"],
        Meaning::Region | Meaning::Sample | Meaning::Counter => &[],
    }
}

/// Returns the suffixes of the sets of tables in a database.
pub(crate) fn suffixes(database: &Database) -> Vec<String> {
    let tables = database.tables().iter();
    let suffixes = tables.filter_map(|table| table.name.strip_prefix(STRINGS));
    suffixes.map(str::to_owned).collect()
}

/// Returns the tables of events of a set.
pub(crate) fn sources(database: &Database, tables: usize, suffix: &str) -> Vec<Source> {
    let mut sources = Vec::new();
    for (base, meaning, place) in TABLES {
        let Some(table) = database.table(&format!("{base}{suffix}")) else {
            continue;
        };
        let new = |meaning| Source::new(database, tables, suffix, table, meaning, place);
        sources.push(new(meaning));
        let has_counters = database.table(&format!("rocpd_pmc_event{suffix}"));
        let columns = ["event_id", "pmc_id", "value"];
        let has_counters =
            has_counters.is_some_and(|table| columns.iter().all(|name| table.has(name)));
        let is_counted = matches!(meaning, Meaning::Kernel | Meaning::Sample);
        if is_counted && has_counters && table.has("event_id") && table.is_keyed_by("id") {
            sources.push(new(Meaning::Counter));
        }
    }
    sources
}

impl Source {
    fn new(
        database: &Database,
        tables: usize,
        suffix: &str,
        table: &Table,
        meaning: Meaning,
        place: PlaceColumns,
    ) -> Self {
        let mut source = Self {
            tables,
            suffix: suffix.to_owned(),
            table: table.clone(),
            meaning,
            place,
            roles: Roles::default(),
            attributes: Vec::new(),
            survey: Survey::default(),
            columns: Vec::new(),
            from: format!("{} AS R NOT INDEXED", quoted(&table.name)),
        };
        source.columns.extend(source.times(database));
        source.columns.extend(source.place_expressions(database));
        source.assign_roles(database);
        source.join_events(database);
        for name in attribute_names(meaning) {
            if table.has(name) {
                let column = source.column(format!("R.{}", quoted(name)));
                source.attributes.push(AttributeColumn::new(name, column));
            }
        }
        source
    }

    fn column(&mut self, expression: String) -> usize {
        self.columns.push(expression);
        self.columns.len() - 1
    }

    /// Returns the expressions for the beginning and the end of an event.
    pub(crate) fn times(&self, database: &Database) -> [String; 2] {
        let time = |name| self.expression(database, name);
        match self.meaning {
            Meaning::Sample => [time("timestamp"), "NULL".to_owned()],
            Meaning::Counter if self.place == PlaceColumns::Thread => {
                [time("timestamp"), "NULL".to_owned()]
            }
            Meaning::Counter => [time("start"), "NULL".to_owned()],
            _ => [time("start"), time("end")],
        }
    }

    /// Returns the expressions for the place of an event.
    pub(crate) fn place_expressions(&self, database: &Database) -> Vec<String> {
        let names = self.place.names().iter();
        names.map(|name| self.expression(database, name)).collect()
    }

    /// Returns the expression for a column of the table. Some versions have times and places in tables of their own.
    fn expression(&self, database: &Database, column: &str) -> String {
        let has = |column: &str| self.table.has(column);
        if has(column) {
            return format!("R.{}", quoted(column));
        }
        let id = format!("{column}_id");
        let referred = |base: &str, value: &str| {
            let name = format!("{base}{}", self.suffix);
            let table = database.table(&name)?;
            let is_fast = table.is_keyed_by("id") && table.has(value);
            is_fast.then(|| (quoted(&name), quoted(value)))
        };
        let (key, found) = if has(&id) {
            (id, referred("rocpd_timestamp", "value"))
        } else if has("track_id") {
            ("track_id".to_owned(), referred("rocpd_track", column))
        } else {
            (String::new(), None)
        };
        found.map_or_else(
            || "NULL".to_owned(),
            |(table, value)| {
                format!(
                    "(SELECT T.{value} FROM {table} AS T WHERE T.id = R.{})",
                    quoted(&key)
                )
            },
        )
    }

    fn assign_roles(&mut self, database: &Database) {
        let own = |name: &str| self.table.has(name).then(|| format!("R.{}", quoted(name)));
        let (name, kind, level) = match self.meaning {
            Meaning::Kernel => (own("kernel_id"), None, None),
            Meaning::Allocation => (None, own("type"), own("level")),
            Meaning::Sample => (Some(self.expression(database, "name_id")), None, None),
            Meaning::Region | Meaning::Copy => (own("name_id"), None, None),
            Meaning::Counter => (None, None, None),
        };
        let mut role = |expression: Option<String>| match expression {
            Some(expression) => self.column(expression),
            None => NONE,
        };
        let (name, kind, level) = (role(name), role(kind), role(level));
        (self.roles.name, self.roles.kind, self.roles.level) = (name, kind, level);
    }

    /// Joins what other tables know of an event: its correlation, its category and its data, or its counters.
    fn join_events(&mut self, database: &Database) {
        let suffix = self.suffix.clone();
        if !self.table.has("event_id") {
            return;
        }
        if self.meaning == Meaning::Counter {
            let counters = quoted(&format!("rocpd_pmc_event{suffix}"));
            // At most one row for each event, so that a hostile database has no more rows than counters.
            let columns: Vec<_> = self.table.columns.iter().map(|name| quoted(name)).collect();
            self.from = format!(
                "(SELECT {}, min(id) FROM {} GROUP BY event_id) AS R \
                 JOIN {counters} AS P ON P.event_id = R.event_id",
                columns.join(", "),
                quoted(&self.table.name)
            );
            self.roles.counter = self.column("P.pmc_id".to_owned());
            self.roles.value = self.column("P.value".to_owned());
            return;
        }
        let events = format!("rocpd_event{suffix}");
        let Some(table) = database
            .table(&events)
            .filter(|table| table.is_keyed_by("id"))
        else {
            return;
        };
        let join = format!(" LEFT JOIN {} AS E ON E.id = R.event_id", quoted(&events));
        self.from.push_str(&join);
        if table.has("correlation_id") {
            let column = self.column("E.correlation_id".to_owned());
            let attribute = AttributeColumn::new("correlation", column);
            self.attributes.push(attribute.without(0));
        }
        if matches!(self.meaning, Meaning::Region | Meaning::Sample) {
            if table.has("category_id") {
                self.roles.category = self.column("E.category_id".to_owned());
            }
            if table.has("extdata") {
                self.roles.data = self.column("E.extdata".to_owned());
            }
        }
    }

    fn order(&self) -> Order {
        if self.meaning == Meaning::Counter {
            // The times of counters are not surveyed.
            return Order::Irregular;
        }
        self.survey.order()
    }

    /// Checks that rows that must be sorted fit into the file.
    pub(crate) fn check(&self, database: &Database) -> Result<(), TraceError> {
        if self.order() == Order::Time {
            return Ok(());
        }
        database.check_sortable(&self.table.name, &self.columns, &self.from)
    }

    /// Returns the query for the rows in the order of time.
    pub(crate) fn query(&self) -> Query {
        Query::new(&self.columns, &self.from, self.order())
    }
}
