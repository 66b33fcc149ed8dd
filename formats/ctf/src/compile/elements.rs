//! Compiles fields within arrays.

use super::Compiler;
use crate::class::{Class, Kind};
use crate::fault::Fault;
use crate::program::Element;

impl Compiler<'_> {
    /// Compiles a field within an array, or the array itself.
    pub(super) fn element(&mut self, class: &Class) -> Result<Element, Fault> {
        self.spend()?;
        Ok(match &class.kind {
            Kind::Integer(integer) => Element::Integer(self.integer(integer, class.alignment)?),
            Kind::VariableInteger(integer) => Element::Integer(self.variable_integer(integer)?),
            Kind::Float(float) => Element::Float(self.float(float, class.alignment)),
            Kind::Text(text) => Element::Text(self.text(text)?),
            Kind::Bytes { length, .. } => Element::Bytes(self.length(length)?),
            Kind::Array { length, element } => {
                let length = self.length(length)?;
                Element::Array {
                    alignment: class.alignment,
                    length,
                    element: Box::new(self.element(element)?),
                }
            }
            Kind::Structure(members) => {
                self.parents.push(self.names.len());
                let mut elements = Vec::with_capacity(members.len());
                for member in members {
                    self.names.push(member.name.clone());
                    let name = self.shared.display(&member.name).to_owned();
                    elements.push((name, self.element(&member.class)?));
                    self.names.pop();
                }
                self.parents.pop();
                Element::Structure(class.alignment, elements)
            }
            Kind::Variant { selector, options } => {
                let choice = self.variant_choice(selector, options)?;
                let mut elements = Vec::with_capacity(options.len());
                for option in options {
                    let depth = self.names.len();
                    if self.shared.is_tsdl {
                        self.names.push(option.name.clone());
                    }
                    elements.push(self.element(&option.class)?);
                    self.names.truncate(depth);
                }
                Element::Select(Box::new(choice), elements)
            }
            Kind::Optional {
                selector,
                ranges,
                content,
            } => {
                let mut choice = self.optional(selector, ranges.as_deref())?;
                // There is no second element, which stands for nothing.
                choice.otherwise = Some(1);
                Element::Select(Box::new(choice), vec![self.element(content)?])
            }
        })
    }
}
