//! One logical program for all processes of a trace (Xu et al., section 4.3).

mod program;

pub use program::{
    Action, Call, Communicator, CommunicatorId, Construct, Distribution, Logical, Loop, Measured,
    Number,
};
