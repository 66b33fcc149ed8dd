//! stub
use foldtrace_trace::*;
pub(crate) struct PajeWriter;
impl PajeWriter {
    pub(crate) fn create(_: Output) -> Result<Self, TraceError> {
        Ok(Self)
    }
}
impl TraceWriter for PajeWriter {
    fn definitions(&mut self, _: &Definitions) -> Result<(), TraceError> {
        Ok(())
    }
    fn write(&mut self, _: &EventBatch, _: &SymbolTable) -> Result<(), TraceError> {
        Ok(())
    }
    fn finish(self: Box<Self>) -> Result<Diagnostics, TraceError> {
        Ok(Diagnostics::default())
    }
}
