//! Reads definitions and passes every kind of record to a visitor.

use std::ffi::{c_char, c_void};

use super::errors::{LibraryError, check, error, null_error};
use super::events::slice;
use super::value::{Widen, bytes, value_bits};
use crate::bindings::*;

const SUCCESS: OTF2_CallbackCode = OTF2_CallbackCode_enum_OTF2_CALLBACK_SUCCESS;

/// A visitor of global definitions. The library calls its methods, so they must not panic.
pub trait DefinitionVisitor {
    /// Visits a definition. `fields` are in the order of the record, without lists and counts. Undefined values of any
    /// width are [`UNDEFINED`](super::UNDEFINED). A typed value follows its type. The list of an I/O paradigm has
    /// three numbers per property: property, type, value.
    fn definition(&mut self, code: DefinitionCode, fields: &[u64], list: &[u64], text: &[u8]);
}

/// A visitor of local definitions. The library calls its methods, so they must not panic.
pub trait LocalVisitor {
    /// Visits the mapping table for a kind of ids: pairs of local and global id.
    fn mapping_table(&mut self, kind: u8, pairs: &[u64]);
    /// Visits a clock offset: at `time`, the clock of the location differs by `offset`.
    fn clock_offset(&mut self, time: u64, offset: i64, standard_deviation: f64);
    /// Visits a definition that only this location has, as a [`DefinitionVisitor`] does. Such definitions are rare,
    /// and the library does not use them, so they are ignored by default.
    fn definition(&mut self, _code: DefinitionCode, _fields: &[u64], _list: &[u64], _text: &[u8]) {}
}

/// Ignores all definitions; the library still applies them.
impl LocalVisitor for () {
    fn mapping_table(&mut self, _kind: u8, _pairs: &[u64]) {}
    fn clock_offset(&mut self, _time: u64, _offset: i64, _standard_deviation: f64) {}
}

/// A visitor of local definitions that is used as a visitor of global definitions: both kinds of callbacks have the
/// same arguments. The type is transparent, so that a pointer to it is also a pointer to the inner visitor.
#[repr(transparent)]
struct Local<V>(V);

impl<V: LocalVisitor> DefinitionVisitor for Local<V> {
    fn definition(&mut self, code: DefinitionCode, fields: &[u64], list: &[u64], text: &[u8]) {
        self.0.definition(code, fields, list, text);
    }
}

/// The type of a definition, with the names of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum DefinitionCode {
    String,
    IoParadigm,
    Unknown,
    ClockProperties,
    Paradigm,
    ParadigmProperty,
    Attribute,
    SystemTreeNode,
    LocationGroup,
    Location,
    Region,
    Callsite,
    Callpath,
    Group,
    MetricMember,
    MetricClass,
    MetricInstance,
    Comm,
    Parameter,
    RmaWin,
    MetricClassRecorder,
    SystemTreeNodeProperty,
    SystemTreeNodeDomain,
    LocationGroupProperty,
    LocationProperty,
    CartDimension,
    CartTopology,
    CartCoordinate,
    SourceCodeLocation,
    CallingContext,
    CallingContextProperty,
    InterruptGenerator,
    IoFileProperty,
    IoRegularFile,
    IoDirectory,
    IoHandle,
    IoPreCreatedHandleState,
    CallpathParameter,
    InterComm,
}

macro_rules! list_of {
    () => {
        Vec::new()
    };
    ($list:ident $count:ident) => {
        // SAFETY: the array of the library has as many elements as the record declares.
        unsafe { widened($list, $count as usize) }
    };
}

macro_rules! definition_callbacks {
    ($($variant:ident $function:ident $setter:ident $(local($local_setter:ident))? ($($parameter:ident: $type:ty),*) [$($field:ident)*] $(value($value_type:ident $value:ident))? $(list($list:ident $count:ident))?;)*) => {
        mod callbacks {
            use super::*;

            $(
                #[allow(clippy::too_many_arguments)]
                pub(super) unsafe extern "C" fn $function<V: DefinitionVisitor>(
                    user_data: *mut c_void,
                    $($parameter: $type),*
                ) -> OTF2_CallbackCode {
                    // SAFETY: `global` or `local` registers a visitor while it reads.
                    let visitor = unsafe { &mut *user_data.cast::<V>() };
                    let fields: &[u64] = &[$($field.widen(),)* $(value_bits($value_type, $value))?];
                    let list: Vec<u64> = list_of!($($list $count)?);
                    visitor.definition(DefinitionCode::$variant, fields, &list, &[]);
                    SUCCESS
                }
            )*
        }

        impl DefinitionCode {
            /// All types.
            pub const ALL: &'static [Self] = &[Self::String, Self::IoParadigm, $(Self::$variant,)*];
        }

        /// Sets all callbacks of the table.
        ///
        /// # Safety
        /// `table` is a table of the library.
        unsafe fn fill<V: DefinitionVisitor>(
            table: *mut OTF2_GlobalDefReaderCallbacks,
        ) -> Result<(), LibraryError> {
            // SAFETY: the table is valid, and every function has the type that its setter requires.
            unsafe {
                $(check($setter(table, Some(callbacks::$function::<V>)))?;)*
                check(OTF2_GlobalDefReaderCallbacks_SetStringCallback(table, Some(string::<V>)))?;
                check(OTF2_GlobalDefReaderCallbacks_SetIoParadigmCallback(table, Some(io_paradigm::<V>)))
            }
        }

        /// Sets all callbacks of the table for local definitions.
        ///
        /// # Safety
        /// `table` is a table of the library.
        unsafe fn fill_local<V: LocalVisitor>(
            table: *mut OTF2_DefReaderCallbacks,
        ) -> Result<(), LibraryError> {
            // SAFETY: the table is valid, and every function has the type that its setter requires.
            unsafe {
                $($(check($local_setter(table, Some(callbacks::$function::<Local<V>>)))?;)?)*
                check(OTF2_DefReaderCallbacks_SetStringCallback(table, Some(string::<Local<V>>)))?;
                check(OTF2_DefReaderCallbacks_SetMappingTableCallback(table, Some(mapping_table::<V>)))?;
                check(OTF2_DefReaderCallbacks_SetClockOffsetCallback(table, Some(clock_offset::<V>)))
            }
        }
    };
}

/// Returns the numbers of an array as 64 bits.
///
/// # Safety
/// `pointer` is null or has `count` elements.
unsafe fn widened<T: Widen>(pointer: *const T, count: usize) -> Vec<u64> {
    // SAFETY: by the contract of this function.
    unsafe { slice(pointer, count) }
        .iter()
        .map(|number| number.widen())
        .collect()
}

unsafe extern "C" fn string<V: DefinitionVisitor>(
    user_data: *mut c_void,
    id: OTF2_StringRef,
    string: *const c_char,
) -> OTF2_CallbackCode {
    // SAFETY: `global` or `local` registers a visitor while it reads.
    let visitor = unsafe { &mut *user_data.cast::<V>() };
    // SAFETY: the library's strings end with a zero and live until the callback returns.
    let text = unsafe { bytes(string) };
    visitor.definition(DefinitionCode::String, &[id.widen()], &[], text);
    SUCCESS
}

#[allow(clippy::too_many_arguments)]
unsafe extern "C" fn io_paradigm<V: DefinitionVisitor>(
    user_data: *mut c_void,
    id: OTF2_IoParadigmRef,
    identification: OTF2_StringRef,
    name: OTF2_StringRef,
    class: OTF2_IoParadigmClass,
    flags: OTF2_IoParadigmFlag,
    count: u8,
    properties: *const OTF2_IoParadigmProperty,
    types: *const OTF2_Type,
    values: *const OTF2_AttributeValue,
) -> OTF2_CallbackCode {
    // SAFETY: `global` or `local` registers a visitor while it reads.
    let visitor = unsafe { &mut *user_data.cast::<V>() };
    let count = usize::from(count);
    // SAFETY: the three arrays have `count` elements until the callback returns.
    let (properties, types, values) = unsafe {
        (
            slice(properties, count),
            slice(types, count),
            slice(values, count),
        )
    };
    let list: Vec<u64> = properties
        .iter()
        .zip(types)
        .zip(values)
        .flat_map(|((property, &value_type), &value)| {
            [
                property.widen(),
                value_type.widen(),
                value_bits(value_type, value),
            ]
        })
        .collect();
    let fields = [
        id.widen(),
        identification.widen(),
        name.widen(),
        class.widen(),
        flags.widen(),
    ];
    visitor.definition(DefinitionCode::IoParadigm, &fields, &list, &[]);
    SUCCESS
}

/// Reads the first `limit` global definitions.
pub(super) fn global<V: DefinitionVisitor>(
    archive: *mut OTF2_Reader,
    limit: u64,
    visitor: &mut V,
) -> Result<u64, LibraryError> {
    let mut read = 0;
    // SAFETY: the archive is valid. The visitor is registered only while its borrow lasts: the
    // reader that would call it is closed before this function returns.
    unsafe {
        let reader = OTF2_Reader_GetGlobalDefReader(archive);
        if reader.is_null() {
            return Err(null_error());
        }
        let table = OTF2_GlobalDefReaderCallbacks_New();
        let result = fill::<V>(table).and_then(|()| {
            let user_data = std::ptr::from_mut(visitor).cast();
            check(OTF2_Reader_RegisterGlobalDefCallbacks(
                archive, reader, table, user_data,
            ))?;
            check(OTF2_Reader_ReadGlobalDefinitions(
                archive, reader, limit, &mut read,
            ))
        });
        OTF2_GlobalDefReaderCallbacks_Delete(table);
        let closed = OTF2_Reader_CloseGlobalDefReader(archive, reader);
        result.and(if closed == OTF2_ErrorCode_OTF2_SUCCESS {
            Ok(())
        } else {
            Err(error(closed))
        })?;
    }
    Ok(read)
}

/// Reads the first `limit` local definitions of a selected location, whose file must be open.
pub(super) fn local<V: LocalVisitor>(
    archive: *mut OTF2_Reader,
    location: u64,
    limit: u64,
    visitor: &mut V,
) -> Result<u64, LibraryError> {
    let mut read = 0;
    // SAFETY: as in `global`.
    unsafe {
        let reader = OTF2_Reader_GetDefReader(archive, location);
        if reader.is_null() {
            return Err(null_error());
        }
        let table = OTF2_DefReaderCallbacks_New();
        let result = fill_local::<V>(table).and_then(|()| {
            let user_data = std::ptr::from_mut(visitor).cast();
            check(OTF2_Reader_RegisterDefCallbacks(
                archive, reader, table, user_data,
            ))?;
            check(OTF2_Reader_ReadLocalDefinitions(
                archive, reader, limit, &mut read,
            ))
        });
        OTF2_DefReaderCallbacks_Delete(table);
        let closed = OTF2_Reader_CloseDefReader(archive, reader);
        result.and(if closed == OTF2_ErrorCode_OTF2_SUCCESS {
            Ok(())
        } else {
            Err(error(closed))
        })?;
    }
    Ok(read)
}

unsafe extern "C" fn mapping_table<V: LocalVisitor>(
    user_data: *mut c_void,
    kind: OTF2_MappingType,
    map: *const OTF2_IdMap,
) -> OTF2_CallbackCode {
    unsafe extern "C" fn pair(local: u64, global: u64, user_data: *mut c_void) {
        // SAFETY: the vector outlives the traversal, and nothing else refers to it during the traversal.
        unsafe { &mut *user_data.cast::<Vec<u64>>() }.extend([local, global]);
    }
    // SAFETY: `local` registers a visitor while it reads.
    let visitor = unsafe { &mut *user_data.cast::<V>() };
    let mut pairs: Vec<u64> = Vec::new();
    // SAFETY: the map is valid until the callback returns.
    unsafe { OTF2_IdMap_Traverse(map, Some(pair), std::ptr::from_mut(&mut pairs).cast()) };
    visitor.mapping_table(kind, &pairs);
    SUCCESS
}

unsafe extern "C" fn clock_offset<V: LocalVisitor>(
    user_data: *mut c_void,
    time: OTF2_TimeStamp,
    offset: i64,
    standard_deviation: f64,
) -> OTF2_CallbackCode {
    // SAFETY: `local` registers a visitor while it reads.
    unsafe { &mut *user_data.cast::<V>() }.clock_offset(time, offset, standard_deviation);
    SUCCESS
}

definition_callbacks! {
    Unknown unknown OTF2_GlobalDefReaderCallbacks_SetUnknownCallback
        local(OTF2_DefReaderCallbacks_SetUnknownCallback)
        ()
        [];
    ClockProperties clock_properties OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback
        (timer_resolution: u64, global_offset: u64, trace_length: u64, realtime_timestamp: u64)
        [timer_resolution global_offset trace_length realtime_timestamp];
    Paradigm paradigm OTF2_GlobalDefReaderCallbacks_SetParadigmCallback
        (paradigm: OTF2_Paradigm, name: OTF2_StringRef, paradigm_class: OTF2_ParadigmClass)
        [paradigm name paradigm_class];
    ParadigmProperty paradigm_property OTF2_GlobalDefReaderCallbacks_SetParadigmPropertyCallback
        (paradigm: OTF2_Paradigm, property: OTF2_ParadigmProperty, type_: OTF2_Type, value: OTF2_AttributeValue)
        [paradigm property type_] value(type_ value);
    Attribute attribute OTF2_GlobalDefReaderCallbacks_SetAttributeCallback
        local(OTF2_DefReaderCallbacks_SetAttributeCallback)
        (id: OTF2_AttributeRef, name: OTF2_StringRef, description: OTF2_StringRef, type_: OTF2_Type)
        [id name description type_];
    SystemTreeNode system_tree_node OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback
        local(OTF2_DefReaderCallbacks_SetSystemTreeNodeCallback)
        (id: OTF2_SystemTreeNodeRef, name: OTF2_StringRef, class_name: OTF2_StringRef, parent: OTF2_SystemTreeNodeRef)
        [id name class_name parent];
    LocationGroup location_group OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback
        local(OTF2_DefReaderCallbacks_SetLocationGroupCallback)
        (id: OTF2_LocationGroupRef, name: OTF2_StringRef, location_group_type: OTF2_LocationGroupType, system_tree_parent: OTF2_SystemTreeNodeRef, creating_location_group: OTF2_LocationGroupRef)
        [id name location_group_type system_tree_parent creating_location_group];
    Location location OTF2_GlobalDefReaderCallbacks_SetLocationCallback
        local(OTF2_DefReaderCallbacks_SetLocationCallback)
        (id: OTF2_LocationRef, name: OTF2_StringRef, location_type: OTF2_LocationType, number_of_events: u64, location_group: OTF2_LocationGroupRef)
        [id name location_type number_of_events location_group];
    Region region OTF2_GlobalDefReaderCallbacks_SetRegionCallback
        local(OTF2_DefReaderCallbacks_SetRegionCallback)
        (id: OTF2_RegionRef, name: OTF2_StringRef, canonical_name: OTF2_StringRef, description: OTF2_StringRef, region_role: OTF2_RegionRole, paradigm: OTF2_Paradigm, region_flags: OTF2_RegionFlag, source_file: OTF2_StringRef, begin_line_number: u32, end_line_number: u32)
        [id name canonical_name description region_role paradigm region_flags source_file begin_line_number end_line_number];
    Callsite callsite OTF2_GlobalDefReaderCallbacks_SetCallsiteCallback
        local(OTF2_DefReaderCallbacks_SetCallsiteCallback)
        (id: OTF2_CallsiteRef, source_file: OTF2_StringRef, line_number: u32, entered_region: OTF2_RegionRef, left_region: OTF2_RegionRef)
        [id source_file line_number entered_region left_region];
    Callpath callpath OTF2_GlobalDefReaderCallbacks_SetCallpathCallback
        local(OTF2_DefReaderCallbacks_SetCallpathCallback)
        (id: OTF2_CallpathRef, parent: OTF2_CallpathRef, region: OTF2_RegionRef)
        [id parent region];
    Group group OTF2_GlobalDefReaderCallbacks_SetGroupCallback
        local(OTF2_DefReaderCallbacks_SetGroupCallback)
        (id: OTF2_GroupRef, name: OTF2_StringRef, group_type: OTF2_GroupType, paradigm: OTF2_Paradigm, group_flags: OTF2_GroupFlag, number_of_members: u32, members: *const u64)
        [id name group_type paradigm group_flags] list(members number_of_members);
    MetricMember metric_member OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback
        local(OTF2_DefReaderCallbacks_SetMetricMemberCallback)
        (id: OTF2_MetricMemberRef, name: OTF2_StringRef, description: OTF2_StringRef, metric_type: OTF2_MetricType, metric_mode: OTF2_MetricMode, value_type: OTF2_Type, base: OTF2_Base, exponent: i64, unit: OTF2_StringRef)
        [id name description metric_type metric_mode value_type base exponent unit];
    MetricClass metric_class OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback
        local(OTF2_DefReaderCallbacks_SetMetricClassCallback)
        (id: OTF2_MetricRef, number_of_metrics: u8, metric_members: *const OTF2_MetricMemberRef, metric_occurrence: OTF2_MetricOccurrence, recorder_kind: OTF2_RecorderKind)
        [id metric_occurrence recorder_kind] list(metric_members number_of_metrics);
    MetricInstance metric_instance OTF2_GlobalDefReaderCallbacks_SetMetricInstanceCallback
        local(OTF2_DefReaderCallbacks_SetMetricInstanceCallback)
        (id: OTF2_MetricRef, metric_class: OTF2_MetricRef, recorder: OTF2_LocationRef, metric_scope: OTF2_MetricScope, scope: u64)
        [id metric_class recorder metric_scope scope];
    Comm comm OTF2_GlobalDefReaderCallbacks_SetCommCallback
        local(OTF2_DefReaderCallbacks_SetCommCallback)
        (id: OTF2_CommRef, name: OTF2_StringRef, group: OTF2_GroupRef, parent: OTF2_CommRef, flags: OTF2_CommFlag)
        [id name group parent flags];
    Parameter parameter OTF2_GlobalDefReaderCallbacks_SetParameterCallback
        local(OTF2_DefReaderCallbacks_SetParameterCallback)
        (id: OTF2_ParameterRef, name: OTF2_StringRef, parameter_type: OTF2_ParameterType)
        [id name parameter_type];
    RmaWin rma_win OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback
        local(OTF2_DefReaderCallbacks_SetRmaWinCallback)
        (id: OTF2_RmaWinRef, name: OTF2_StringRef, comm: OTF2_CommRef, flags: OTF2_RmaWinFlag)
        [id name comm flags];
    MetricClassRecorder metric_class_recorder OTF2_GlobalDefReaderCallbacks_SetMetricClassRecorderCallback
        local(OTF2_DefReaderCallbacks_SetMetricClassRecorderCallback)
        (metric: OTF2_MetricRef, recorder: OTF2_LocationRef)
        [metric recorder];
    SystemTreeNodeProperty system_tree_node_property OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodePropertyCallback
        local(OTF2_DefReaderCallbacks_SetSystemTreeNodePropertyCallback)
        (system_tree_node: OTF2_SystemTreeNodeRef, name: OTF2_StringRef, type_: OTF2_Type, value: OTF2_AttributeValue)
        [system_tree_node name type_] value(type_ value);
    SystemTreeNodeDomain system_tree_node_domain OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeDomainCallback
        local(OTF2_DefReaderCallbacks_SetSystemTreeNodeDomainCallback)
        (system_tree_node: OTF2_SystemTreeNodeRef, system_tree_domain: OTF2_SystemTreeDomain)
        [system_tree_node system_tree_domain];
    LocationGroupProperty location_group_property OTF2_GlobalDefReaderCallbacks_SetLocationGroupPropertyCallback
        local(OTF2_DefReaderCallbacks_SetLocationGroupPropertyCallback)
        (location_group: OTF2_LocationGroupRef, name: OTF2_StringRef, type_: OTF2_Type, value: OTF2_AttributeValue)
        [location_group name type_] value(type_ value);
    LocationProperty location_property OTF2_GlobalDefReaderCallbacks_SetLocationPropertyCallback
        local(OTF2_DefReaderCallbacks_SetLocationPropertyCallback)
        (location: OTF2_LocationRef, name: OTF2_StringRef, type_: OTF2_Type, value: OTF2_AttributeValue)
        [location name type_] value(type_ value);
    CartDimension cart_dimension OTF2_GlobalDefReaderCallbacks_SetCartDimensionCallback
        local(OTF2_DefReaderCallbacks_SetCartDimensionCallback)
        (id: OTF2_CartDimensionRef, name: OTF2_StringRef, size: u32, cart_periodicity: OTF2_CartPeriodicity)
        [id name size cart_periodicity];
    CartTopology cart_topology OTF2_GlobalDefReaderCallbacks_SetCartTopologyCallback
        local(OTF2_DefReaderCallbacks_SetCartTopologyCallback)
        (id: OTF2_CartTopologyRef, name: OTF2_StringRef, communicator: OTF2_CommRef, number_of_dimensions: u8, cart_dimensions: *const OTF2_CartDimensionRef)
        [id name communicator] list(cart_dimensions number_of_dimensions);
    CartCoordinate cart_coordinate OTF2_GlobalDefReaderCallbacks_SetCartCoordinateCallback
        local(OTF2_DefReaderCallbacks_SetCartCoordinateCallback)
        (cart_topology: OTF2_CartTopologyRef, rank: u32, number_of_dimensions: u8, coordinates: *const u32)
        [cart_topology rank] list(coordinates number_of_dimensions);
    SourceCodeLocation source_code_location OTF2_GlobalDefReaderCallbacks_SetSourceCodeLocationCallback
        local(OTF2_DefReaderCallbacks_SetSourceCodeLocationCallback)
        (id: OTF2_SourceCodeLocationRef, file: OTF2_StringRef, line_number: u32)
        [id file line_number];
    CallingContext calling_context OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback
        local(OTF2_DefReaderCallbacks_SetCallingContextCallback)
        (id: OTF2_CallingContextRef, region: OTF2_RegionRef, source_code_location: OTF2_SourceCodeLocationRef, parent: OTF2_CallingContextRef)
        [id region source_code_location parent];
    CallingContextProperty calling_context_property OTF2_GlobalDefReaderCallbacks_SetCallingContextPropertyCallback
        local(OTF2_DefReaderCallbacks_SetCallingContextPropertyCallback)
        (calling_context: OTF2_CallingContextRef, name: OTF2_StringRef, type_: OTF2_Type, value: OTF2_AttributeValue)
        [calling_context name type_] value(type_ value);
    InterruptGenerator interrupt_generator OTF2_GlobalDefReaderCallbacks_SetInterruptGeneratorCallback
        local(OTF2_DefReaderCallbacks_SetInterruptGeneratorCallback)
        (id: OTF2_InterruptGeneratorRef, name: OTF2_StringRef, interrupt_generator_mode: OTF2_InterruptGeneratorMode, base: OTF2_Base, exponent: i64, period: u64)
        [id name interrupt_generator_mode base exponent period];
    IoFileProperty io_file_property OTF2_GlobalDefReaderCallbacks_SetIoFilePropertyCallback
        local(OTF2_DefReaderCallbacks_SetIoFilePropertyCallback)
        (io_file: OTF2_IoFileRef, name: OTF2_StringRef, type_: OTF2_Type, value: OTF2_AttributeValue)
        [io_file name type_] value(type_ value);
    IoRegularFile io_regular_file OTF2_GlobalDefReaderCallbacks_SetIoRegularFileCallback
        local(OTF2_DefReaderCallbacks_SetIoRegularFileCallback)
        (id: OTF2_IoFileRef, name: OTF2_StringRef, scope: OTF2_SystemTreeNodeRef)
        [id name scope];
    IoDirectory io_directory OTF2_GlobalDefReaderCallbacks_SetIoDirectoryCallback
        local(OTF2_DefReaderCallbacks_SetIoDirectoryCallback)
        (id: OTF2_IoFileRef, name: OTF2_StringRef, scope: OTF2_SystemTreeNodeRef)
        [id name scope];
    IoHandle io_handle OTF2_GlobalDefReaderCallbacks_SetIoHandleCallback
        local(OTF2_DefReaderCallbacks_SetIoHandleCallback)
        (id: OTF2_IoHandleRef, name: OTF2_StringRef, file: OTF2_IoFileRef, io_paradigm: OTF2_IoParadigmRef, io_handle_flags: OTF2_IoHandleFlag, comm: OTF2_CommRef, parent: OTF2_IoHandleRef)
        [id name file io_paradigm io_handle_flags comm parent];
    IoPreCreatedHandleState io_pre_created_handle_state OTF2_GlobalDefReaderCallbacks_SetIoPreCreatedHandleStateCallback
        local(OTF2_DefReaderCallbacks_SetIoPreCreatedHandleStateCallback)
        (io_handle: OTF2_IoHandleRef, mode: OTF2_IoAccessMode, status_flags: OTF2_IoStatusFlag)
        [io_handle mode status_flags];
    CallpathParameter callpath_parameter OTF2_GlobalDefReaderCallbacks_SetCallpathParameterCallback
        local(OTF2_DefReaderCallbacks_SetCallpathParameterCallback)
        (callpath: OTF2_CallpathRef, parameter: OTF2_ParameterRef, type_: OTF2_Type, value: OTF2_AttributeValue)
        [callpath parameter type_] value(type_ value);
    InterComm inter_comm OTF2_GlobalDefReaderCallbacks_SetInterCommCallback
        local(OTF2_DefReaderCallbacks_SetInterCommCallback)
        (id: OTF2_CommRef, name: OTF2_StringRef, group_a: OTF2_GroupRef, group_b: OTF2_GroupRef, common_communicator: OTF2_CommRef, flags: OTF2_CommFlag)
        [id name group_a group_b common_communicator flags];
}
