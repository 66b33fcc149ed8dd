// Made by bindgen from the headers of libotf2; see tests/bindings.rs on how to make it anew.

pub const OTF2_VERSION_MAJOR: u32 = 3;
pub const OTF2_VERSION_MINOR: u32 = 0;
pub const OTF2_VERSION_BUGFIX: u32 = 2;
pub const OTF2_VERSION_SUFFIX: &[u8; 1] = b"\0";
pub const OTF2_VERSION: &[u8; 6] = b"3.0.2\0";
pub const OTF2_COLLECTIVES_ROOT: u32 = 0;
pub const OTF2_CHUNK_SIZE_EVENTS_DEFAULT: u32 = 1048576;
pub const OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT: u32 = 4194304;
pub type va_list = __builtin_va_list;
pub const OTF2_ErrorCode_OTF2_DEPRECATED: OTF2_ErrorCode = -3;
pub const OTF2_ErrorCode_OTF2_ABORT: OTF2_ErrorCode = -2;
pub const OTF2_ErrorCode_OTF2_WARNING: OTF2_ErrorCode = -1;
pub const OTF2_ErrorCode_OTF2_SUCCESS: OTF2_ErrorCode = 0;
pub const OTF2_ErrorCode_OTF2_ERROR_INVALID: OTF2_ErrorCode = 1;
pub const OTF2_ErrorCode_OTF2_ERROR_E2BIG: OTF2_ErrorCode = 2;
pub const OTF2_ErrorCode_OTF2_ERROR_EACCES: OTF2_ErrorCode = 3;
pub const OTF2_ErrorCode_OTF2_ERROR_EADDRNOTAVAIL: OTF2_ErrorCode = 4;
pub const OTF2_ErrorCode_OTF2_ERROR_EAFNOSUPPORT: OTF2_ErrorCode = 5;
pub const OTF2_ErrorCode_OTF2_ERROR_EAGAIN: OTF2_ErrorCode = 6;
pub const OTF2_ErrorCode_OTF2_ERROR_EALREADY: OTF2_ErrorCode = 7;
pub const OTF2_ErrorCode_OTF2_ERROR_EBADF: OTF2_ErrorCode = 8;
pub const OTF2_ErrorCode_OTF2_ERROR_EBADMSG: OTF2_ErrorCode = 9;
pub const OTF2_ErrorCode_OTF2_ERROR_EBUSY: OTF2_ErrorCode = 10;
pub const OTF2_ErrorCode_OTF2_ERROR_ECANCELED: OTF2_ErrorCode = 11;
pub const OTF2_ErrorCode_OTF2_ERROR_ECHILD: OTF2_ErrorCode = 12;
pub const OTF2_ErrorCode_OTF2_ERROR_ECONNREFUSED: OTF2_ErrorCode = 13;
pub const OTF2_ErrorCode_OTF2_ERROR_ECONNRESET: OTF2_ErrorCode = 14;
pub const OTF2_ErrorCode_OTF2_ERROR_EDEADLK: OTF2_ErrorCode = 15;
pub const OTF2_ErrorCode_OTF2_ERROR_EDESTADDRREQ: OTF2_ErrorCode = 16;
pub const OTF2_ErrorCode_OTF2_ERROR_EDOM: OTF2_ErrorCode = 17;
pub const OTF2_ErrorCode_OTF2_ERROR_EDQUOT: OTF2_ErrorCode = 18;
pub const OTF2_ErrorCode_OTF2_ERROR_EEXIST: OTF2_ErrorCode = 19;
pub const OTF2_ErrorCode_OTF2_ERROR_EFAULT: OTF2_ErrorCode = 20;
pub const OTF2_ErrorCode_OTF2_ERROR_EFBIG: OTF2_ErrorCode = 21;
pub const OTF2_ErrorCode_OTF2_ERROR_EINPROGRESS: OTF2_ErrorCode = 22;
pub const OTF2_ErrorCode_OTF2_ERROR_EINTR: OTF2_ErrorCode = 23;
pub const OTF2_ErrorCode_OTF2_ERROR_EINVAL: OTF2_ErrorCode = 24;
pub const OTF2_ErrorCode_OTF2_ERROR_EIO: OTF2_ErrorCode = 25;
pub const OTF2_ErrorCode_OTF2_ERROR_EISCONN: OTF2_ErrorCode = 26;
pub const OTF2_ErrorCode_OTF2_ERROR_EISDIR: OTF2_ErrorCode = 27;
pub const OTF2_ErrorCode_OTF2_ERROR_ELOOP: OTF2_ErrorCode = 28;
pub const OTF2_ErrorCode_OTF2_ERROR_EMFILE: OTF2_ErrorCode = 29;
pub const OTF2_ErrorCode_OTF2_ERROR_EMLINK: OTF2_ErrorCode = 30;
pub const OTF2_ErrorCode_OTF2_ERROR_EMSGSIZE: OTF2_ErrorCode = 31;
pub const OTF2_ErrorCode_OTF2_ERROR_EMULTIHOP: OTF2_ErrorCode = 32;
pub const OTF2_ErrorCode_OTF2_ERROR_ENAMETOOLONG: OTF2_ErrorCode = 33;
pub const OTF2_ErrorCode_OTF2_ERROR_ENETDOWN: OTF2_ErrorCode = 34;
pub const OTF2_ErrorCode_OTF2_ERROR_ENETRESET: OTF2_ErrorCode = 35;
pub const OTF2_ErrorCode_OTF2_ERROR_ENETUNREACH: OTF2_ErrorCode = 36;
pub const OTF2_ErrorCode_OTF2_ERROR_ENFILE: OTF2_ErrorCode = 37;
pub const OTF2_ErrorCode_OTF2_ERROR_ENOBUFS: OTF2_ErrorCode = 38;
pub const OTF2_ErrorCode_OTF2_ERROR_ENODATA: OTF2_ErrorCode = 39;
pub const OTF2_ErrorCode_OTF2_ERROR_ENODEV: OTF2_ErrorCode = 40;
pub const OTF2_ErrorCode_OTF2_ERROR_ENOENT: OTF2_ErrorCode = 41;
pub const OTF2_ErrorCode_OTF2_ERROR_ENOEXEC: OTF2_ErrorCode = 42;
pub const OTF2_ErrorCode_OTF2_ERROR_ENOLCK: OTF2_ErrorCode = 43;
pub const OTF2_ErrorCode_OTF2_ERROR_ENOLINK: OTF2_ErrorCode = 44;
pub const OTF2_ErrorCode_OTF2_ERROR_ENOMEM: OTF2_ErrorCode = 45;
pub const OTF2_ErrorCode_OTF2_ERROR_ENOMSG: OTF2_ErrorCode = 46;
pub const OTF2_ErrorCode_OTF2_ERROR_ENOPROTOOPT: OTF2_ErrorCode = 47;
pub const OTF2_ErrorCode_OTF2_ERROR_ENOSPC: OTF2_ErrorCode = 48;
pub const OTF2_ErrorCode_OTF2_ERROR_ENOSR: OTF2_ErrorCode = 49;
pub const OTF2_ErrorCode_OTF2_ERROR_ENOSTR: OTF2_ErrorCode = 50;
pub const OTF2_ErrorCode_OTF2_ERROR_ENOSYS: OTF2_ErrorCode = 51;
pub const OTF2_ErrorCode_OTF2_ERROR_ENOTCONN: OTF2_ErrorCode = 52;
pub const OTF2_ErrorCode_OTF2_ERROR_ENOTDIR: OTF2_ErrorCode = 53;
pub const OTF2_ErrorCode_OTF2_ERROR_ENOTEMPTY: OTF2_ErrorCode = 54;
pub const OTF2_ErrorCode_OTF2_ERROR_ENOTSOCK: OTF2_ErrorCode = 55;
pub const OTF2_ErrorCode_OTF2_ERROR_ENOTSUP: OTF2_ErrorCode = 56;
pub const OTF2_ErrorCode_OTF2_ERROR_ENOTTY: OTF2_ErrorCode = 57;
pub const OTF2_ErrorCode_OTF2_ERROR_ENXIO: OTF2_ErrorCode = 58;
pub const OTF2_ErrorCode_OTF2_ERROR_EOPNOTSUPP: OTF2_ErrorCode = 59;
pub const OTF2_ErrorCode_OTF2_ERROR_EOVERFLOW: OTF2_ErrorCode = 60;
pub const OTF2_ErrorCode_OTF2_ERROR_EPERM: OTF2_ErrorCode = 61;
pub const OTF2_ErrorCode_OTF2_ERROR_EPIPE: OTF2_ErrorCode = 62;
pub const OTF2_ErrorCode_OTF2_ERROR_EPROTO: OTF2_ErrorCode = 63;
pub const OTF2_ErrorCode_OTF2_ERROR_EPROTONOSUPPORT: OTF2_ErrorCode = 64;
pub const OTF2_ErrorCode_OTF2_ERROR_EPROTOTYPE: OTF2_ErrorCode = 65;
pub const OTF2_ErrorCode_OTF2_ERROR_ERANGE: OTF2_ErrorCode = 66;
pub const OTF2_ErrorCode_OTF2_ERROR_EROFS: OTF2_ErrorCode = 67;
pub const OTF2_ErrorCode_OTF2_ERROR_ESPIPE: OTF2_ErrorCode = 68;
pub const OTF2_ErrorCode_OTF2_ERROR_ESRCH: OTF2_ErrorCode = 69;
pub const OTF2_ErrorCode_OTF2_ERROR_ESTALE: OTF2_ErrorCode = 70;
pub const OTF2_ErrorCode_OTF2_ERROR_ETIME: OTF2_ErrorCode = 71;
pub const OTF2_ErrorCode_OTF2_ERROR_ETIMEDOUT: OTF2_ErrorCode = 72;
pub const OTF2_ErrorCode_OTF2_ERROR_ETXTBSY: OTF2_ErrorCode = 73;
pub const OTF2_ErrorCode_OTF2_ERROR_EWOULDBLOCK: OTF2_ErrorCode = 74;
pub const OTF2_ErrorCode_OTF2_ERROR_EXDEV: OTF2_ErrorCode = 75;
pub const OTF2_ErrorCode_OTF2_ERROR_END_OF_FUNCTION: OTF2_ErrorCode = 76;
pub const OTF2_ErrorCode_OTF2_ERROR_INVALID_CALL: OTF2_ErrorCode = 77;
pub const OTF2_ErrorCode_OTF2_ERROR_INVALID_ARGUMENT: OTF2_ErrorCode = 78;
pub const OTF2_ErrorCode_OTF2_ERROR_INVALID_RECORD: OTF2_ErrorCode = 79;
pub const OTF2_ErrorCode_OTF2_ERROR_INVALID_DATA: OTF2_ErrorCode = 80;
pub const OTF2_ErrorCode_OTF2_ERROR_INVALID_SIZE_GIVEN: OTF2_ErrorCode = 81;
pub const OTF2_ErrorCode_OTF2_ERROR_UNKNOWN_TYPE: OTF2_ErrorCode = 82;
pub const OTF2_ErrorCode_OTF2_ERROR_INTEGRITY_FAULT: OTF2_ErrorCode = 83;
pub const OTF2_ErrorCode_OTF2_ERROR_MEM_FAULT: OTF2_ErrorCode = 84;
pub const OTF2_ErrorCode_OTF2_ERROR_MEM_ALLOC_FAILED: OTF2_ErrorCode = 85;
pub const OTF2_ErrorCode_OTF2_ERROR_PROCESSED_WITH_FAULTS: OTF2_ErrorCode = 86;
pub const OTF2_ErrorCode_OTF2_ERROR_INDEX_OUT_OF_BOUNDS: OTF2_ErrorCode = 87;
pub const OTF2_ErrorCode_OTF2_ERROR_INVALID_LINENO: OTF2_ErrorCode = 88;
pub const OTF2_ErrorCode_OTF2_ERROR_END_OF_BUFFER: OTF2_ErrorCode = 89;
pub const OTF2_ErrorCode_OTF2_ERROR_FILE_INTERACTION: OTF2_ErrorCode = 90;
pub const OTF2_ErrorCode_OTF2_ERROR_FILE_CAN_NOT_OPEN: OTF2_ErrorCode = 91;
pub const OTF2_ErrorCode_OTF2_ERROR_INTERRUPTED_BY_CALLBACK: OTF2_ErrorCode = 92;
pub const OTF2_ErrorCode_OTF2_ERROR_PROPERTY_NAME_INVALID: OTF2_ErrorCode = 93;
pub const OTF2_ErrorCode_OTF2_ERROR_PROPERTY_EXISTS: OTF2_ErrorCode = 94;
pub const OTF2_ErrorCode_OTF2_ERROR_PROPERTY_NOT_FOUND: OTF2_ErrorCode = 95;
pub const OTF2_ErrorCode_OTF2_ERROR_PROPERTY_VALUE_INVALID: OTF2_ErrorCode = 96;
pub const OTF2_ErrorCode_OTF2_ERROR_FILE_COMPRESSION_NOT_SUPPORTED: OTF2_ErrorCode = 97;
pub const OTF2_ErrorCode_OTF2_ERROR_DUPLICATE_MAPPING_TABLE: OTF2_ErrorCode = 98;
pub const OTF2_ErrorCode_OTF2_ERROR_INVALID_FILE_MODE_TRANSITION: OTF2_ErrorCode = 99;
pub const OTF2_ErrorCode_OTF2_ERROR_COLLECTIVE_CALLBACK: OTF2_ErrorCode = 100;
pub const OTF2_ErrorCode_OTF2_ERROR_FILE_SUBSTRATE_NOT_SUPPORTED: OTF2_ErrorCode = 101;
pub const OTF2_ErrorCode_OTF2_ERROR_INVALID_ATTRIBUTE_TYPE: OTF2_ErrorCode = 102;
pub const OTF2_ErrorCode_OTF2_ERROR_LOCKING_CALLBACK: OTF2_ErrorCode = 103;
pub const OTF2_ErrorCode_OTF2_ERROR_HINT_INVALID: OTF2_ErrorCode = 104;
pub const OTF2_ErrorCode_OTF2_ERROR_HINT_LOCKED: OTF2_ErrorCode = 105;
pub const OTF2_ErrorCode_OTF2_ERROR_HINT_INVALID_VALUE: OTF2_ErrorCode = 106;
pub type OTF2_ErrorCode = ::core::ffi::c_int;
pub type OTF2_ErrorCallback = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        file: *const ::core::ffi::c_char,
        line: u64,
        function: *const ::core::ffi::c_char,
        errorCode: OTF2_ErrorCode,
        msgFormatString: *const ::core::ffi::c_char,
        va: *mut __va_list_tag,
    ) -> OTF2_ErrorCode,
>;
pub type OTF2_TimeStamp = u64;
pub type OTF2_IoParadigmRef = u8;
pub type OTF2_StringRef = u32;
pub type OTF2_AttributeRef = u32;
pub type OTF2_SystemTreeNodeRef = u32;
pub type OTF2_LocationGroupRef = u32;
pub type OTF2_LocationRef = u64;
pub type OTF2_RegionRef = u32;
pub type OTF2_CallsiteRef = u32;
pub type OTF2_CallpathRef = u32;
pub type OTF2_GroupRef = u32;
pub type OTF2_MetricMemberRef = u32;
pub type OTF2_MetricRef = u32;
pub type OTF2_CommRef = u32;
pub type OTF2_ParameterRef = u32;
pub type OTF2_RmaWinRef = u32;
pub type OTF2_CartDimensionRef = u32;
pub type OTF2_CartTopologyRef = u32;
pub type OTF2_SourceCodeLocationRef = u32;
pub type OTF2_CallingContextRef = u32;
pub type OTF2_InterruptGeneratorRef = u32;
pub type OTF2_IoFileRef = u32;
pub type OTF2_IoHandleRef = u32;
#[repr(C)]
#[derive(Debug)]
pub struct OTF2_EvtReader_struct {
    _unused: [u8; 0],
}
pub type OTF2_EvtReader = OTF2_EvtReader_struct;
#[repr(C)]
#[derive(Debug)]
pub struct OTF2_GlobalEvtReader_struct {
    _unused: [u8; 0],
}
pub type OTF2_GlobalEvtReader = OTF2_GlobalEvtReader_struct;
#[repr(C)]
#[derive(Debug)]
pub struct OTF2_DefReader_struct {
    _unused: [u8; 0],
}
pub type OTF2_DefReader = OTF2_DefReader_struct;
#[repr(C)]
#[derive(Debug)]
pub struct OTF2_GlobalDefReader_struct {
    _unused: [u8; 0],
}
pub type OTF2_GlobalDefReader = OTF2_GlobalDefReader_struct;
#[repr(C)]
#[derive(Debug)]
pub struct OTF2_SnapReader_struct {
    _unused: [u8; 0],
}
pub type OTF2_SnapReader = OTF2_SnapReader_struct;
#[repr(C)]
#[derive(Debug)]
pub struct OTF2_GlobalSnapReader_struct {
    _unused: [u8; 0],
}
pub type OTF2_GlobalSnapReader = OTF2_GlobalSnapReader_struct;
#[repr(C)]
#[derive(Debug)]
pub struct OTF2_MarkerReader_struct {
    _unused: [u8; 0],
}
pub type OTF2_MarkerReader = OTF2_MarkerReader_struct;
pub type OTF2_FileMode = u8;
pub const OTF2_FileMode_enum_OTF2_FILEMODE_WRITE: OTF2_FileMode_enum = 0;
pub const OTF2_FileMode_enum_OTF2_FILEMODE_READ: OTF2_FileMode_enum = 1;
pub const OTF2_FileMode_enum_OTF2_FILEMODE_MODIFY: OTF2_FileMode_enum = 2;
pub type OTF2_FileMode_enum = ::core::ffi::c_uint;
pub type OTF2_Compression = u8;
pub const OTF2_Compression_enum_OTF2_COMPRESSION_UNDEFINED: OTF2_Compression_enum = 0;
pub const OTF2_Compression_enum_OTF2_COMPRESSION_NONE: OTF2_Compression_enum = 1;
pub const OTF2_Compression_enum_OTF2_COMPRESSION_ZLIB: OTF2_Compression_enum = 2;
pub type OTF2_Compression_enum = ::core::ffi::c_uint;
pub const OTF2_CallbackCode_enum_OTF2_CALLBACK_SUCCESS: OTF2_CallbackCode_enum = 0;
pub const OTF2_CallbackCode_enum_OTF2_CALLBACK_INTERRUPT: OTF2_CallbackCode_enum = 1;
pub const OTF2_CallbackCode_enum_OTF2_CALLBACK_ERROR: OTF2_CallbackCode_enum = 1;
pub type OTF2_CallbackCode_enum = ::core::ffi::c_uint;
pub use self::OTF2_CallbackCode_enum as OTF2_CallbackCode;
pub type OTF2_FlushType = u8;
pub const OTF2_FlushType_enum_OTF2_NO_FLUSH: OTF2_FlushType_enum = 0;
pub const OTF2_FlushType_enum_OTF2_FLUSH: OTF2_FlushType_enum = 1;
pub type OTF2_FlushType_enum = ::core::ffi::c_uint;
pub type OTF2_Hint = u8;
pub const OTF2_Hint_enum_OTF2_HINT_GLOBAL_READER: OTF2_Hint_enum = 0;
pub type OTF2_Hint_enum = ::core::ffi::c_uint;
pub type OTF2_Boolean = u8;
pub const OTF2_Boolean_enum_OTF2_FALSE: OTF2_Boolean_enum = 0;
pub const OTF2_Boolean_enum_OTF2_TRUE: OTF2_Boolean_enum = 1;
pub type OTF2_Boolean_enum = ::core::ffi::c_uint;
pub type OTF2_FileType = u8;
pub const OTF2_FileType_enum_OTF2_FILETYPE_ANCHOR: OTF2_FileType_enum = 0;
pub const OTF2_FileType_enum_OTF2_FILETYPE_GLOBAL_DEFS: OTF2_FileType_enum = 1;
pub const OTF2_FileType_enum_OTF2_FILETYPE_LOCAL_DEFS: OTF2_FileType_enum = 2;
pub const OTF2_FileType_enum_OTF2_FILETYPE_EVENTS: OTF2_FileType_enum = 3;
pub const OTF2_FileType_enum_OTF2_FILETYPE_SNAPSHOTS: OTF2_FileType_enum = 4;
pub const OTF2_FileType_enum_OTF2_FILETYPE_THUMBNAIL: OTF2_FileType_enum = 5;
pub const OTF2_FileType_enum_OTF2_FILETYPE_MARKER: OTF2_FileType_enum = 6;
pub const OTF2_FileType_enum_OTF2_FILETYPE_SIONRANKMAP: OTF2_FileType_enum = 7;
pub type OTF2_FileType_enum = ::core::ffi::c_uint;
pub type OTF2_FileSubstrate = u8;
pub const OTF2_FileSubstrate_enum_OTF2_SUBSTRATE_UNDEFINED: OTF2_FileSubstrate_enum = 0;
pub const OTF2_FileSubstrate_enum_OTF2_SUBSTRATE_POSIX: OTF2_FileSubstrate_enum = 1;
pub const OTF2_FileSubstrate_enum_OTF2_SUBSTRATE_SION: OTF2_FileSubstrate_enum = 2;
pub const OTF2_FileSubstrate_enum_OTF2_SUBSTRATE_NONE: OTF2_FileSubstrate_enum = 3;
pub type OTF2_FileSubstrate_enum = ::core::ffi::c_uint;
pub type OTF2_MappingType = u8;
pub const OTF2_MappingType_enum_OTF2_MAPPING_STRING: OTF2_MappingType_enum = 0;
pub const OTF2_MappingType_enum_OTF2_MAPPING_ATTRIBUTE: OTF2_MappingType_enum = 1;
pub const OTF2_MappingType_enum_OTF2_MAPPING_LOCATION: OTF2_MappingType_enum = 2;
pub const OTF2_MappingType_enum_OTF2_MAPPING_REGION: OTF2_MappingType_enum = 3;
pub const OTF2_MappingType_enum_OTF2_MAPPING_GROUP: OTF2_MappingType_enum = 4;
pub const OTF2_MappingType_enum_OTF2_MAPPING_METRIC: OTF2_MappingType_enum = 5;
pub const OTF2_MappingType_enum_OTF2_MAPPING_COMM: OTF2_MappingType_enum = 6;
pub const OTF2_MappingType_enum_OTF2_MAPPING_PARAMETER: OTF2_MappingType_enum = 7;
pub const OTF2_MappingType_enum_OTF2_MAPPING_RMA_WIN: OTF2_MappingType_enum = 8;
pub const OTF2_MappingType_enum_OTF2_MAPPING_SOURCE_CODE_LOCATION: OTF2_MappingType_enum = 9;
pub const OTF2_MappingType_enum_OTF2_MAPPING_CALLING_CONTEXT: OTF2_MappingType_enum = 10;
pub const OTF2_MappingType_enum_OTF2_MAPPING_INTERRUPT_GENERATOR: OTF2_MappingType_enum = 11;
pub const OTF2_MappingType_enum_OTF2_MAPPING_IO_FILE: OTF2_MappingType_enum = 12;
pub const OTF2_MappingType_enum_OTF2_MAPPING_IO_HANDLE: OTF2_MappingType_enum = 13;
pub const OTF2_MappingType_enum_OTF2_MAPPING_LOCATION_GROUP: OTF2_MappingType_enum = 14;
pub const OTF2_MappingType_enum_OTF2_MAPPING_MAX: OTF2_MappingType_enum = 15;
pub type OTF2_MappingType_enum = ::core::ffi::c_uint;
pub type OTF2_Type = u8;
pub const OTF2_Type_enum_OTF2_TYPE_NONE: OTF2_Type_enum = 0;
pub const OTF2_Type_enum_OTF2_TYPE_UINT8: OTF2_Type_enum = 1;
pub const OTF2_Type_enum_OTF2_TYPE_UINT16: OTF2_Type_enum = 2;
pub const OTF2_Type_enum_OTF2_TYPE_UINT32: OTF2_Type_enum = 3;
pub const OTF2_Type_enum_OTF2_TYPE_UINT64: OTF2_Type_enum = 4;
pub const OTF2_Type_enum_OTF2_TYPE_INT8: OTF2_Type_enum = 5;
pub const OTF2_Type_enum_OTF2_TYPE_INT16: OTF2_Type_enum = 6;
pub const OTF2_Type_enum_OTF2_TYPE_INT32: OTF2_Type_enum = 7;
pub const OTF2_Type_enum_OTF2_TYPE_INT64: OTF2_Type_enum = 8;
pub const OTF2_Type_enum_OTF2_TYPE_FLOAT: OTF2_Type_enum = 9;
pub const OTF2_Type_enum_OTF2_TYPE_DOUBLE: OTF2_Type_enum = 10;
pub const OTF2_Type_enum_OTF2_TYPE_STRING: OTF2_Type_enum = 11;
pub const OTF2_Type_enum_OTF2_TYPE_ATTRIBUTE: OTF2_Type_enum = 12;
pub const OTF2_Type_enum_OTF2_TYPE_LOCATION: OTF2_Type_enum = 13;
pub const OTF2_Type_enum_OTF2_TYPE_REGION: OTF2_Type_enum = 14;
pub const OTF2_Type_enum_OTF2_TYPE_GROUP: OTF2_Type_enum = 15;
pub const OTF2_Type_enum_OTF2_TYPE_METRIC: OTF2_Type_enum = 16;
pub const OTF2_Type_enum_OTF2_TYPE_COMM: OTF2_Type_enum = 17;
pub const OTF2_Type_enum_OTF2_TYPE_PARAMETER: OTF2_Type_enum = 18;
pub const OTF2_Type_enum_OTF2_TYPE_RMA_WIN: OTF2_Type_enum = 19;
pub const OTF2_Type_enum_OTF2_TYPE_SOURCE_CODE_LOCATION: OTF2_Type_enum = 20;
pub const OTF2_Type_enum_OTF2_TYPE_CALLING_CONTEXT: OTF2_Type_enum = 21;
pub const OTF2_Type_enum_OTF2_TYPE_INTERRUPT_GENERATOR: OTF2_Type_enum = 22;
pub const OTF2_Type_enum_OTF2_TYPE_IO_FILE: OTF2_Type_enum = 23;
pub const OTF2_Type_enum_OTF2_TYPE_IO_HANDLE: OTF2_Type_enum = 24;
pub const OTF2_Type_enum_OTF2_TYPE_LOCATION_GROUP: OTF2_Type_enum = 25;
pub type OTF2_Type_enum = ::core::ffi::c_uint;
pub type OTF2_Paradigm = u8;
pub const OTF2_Paradigm_enum_OTF2_PARADIGM_UNKNOWN: OTF2_Paradigm_enum = 0;
pub const OTF2_Paradigm_enum_OTF2_PARADIGM_USER: OTF2_Paradigm_enum = 1;
pub const OTF2_Paradigm_enum_OTF2_PARADIGM_COMPILER: OTF2_Paradigm_enum = 2;
pub const OTF2_Paradigm_enum_OTF2_PARADIGM_OPENMP: OTF2_Paradigm_enum = 3;
pub const OTF2_Paradigm_enum_OTF2_PARADIGM_MPI: OTF2_Paradigm_enum = 4;
pub const OTF2_Paradigm_enum_OTF2_PARADIGM_CUDA: OTF2_Paradigm_enum = 5;
pub const OTF2_Paradigm_enum_OTF2_PARADIGM_MEASUREMENT_SYSTEM: OTF2_Paradigm_enum = 6;
pub const OTF2_Paradigm_enum_OTF2_PARADIGM_PTHREAD: OTF2_Paradigm_enum = 7;
pub const OTF2_Paradigm_enum_OTF2_PARADIGM_HMPP: OTF2_Paradigm_enum = 8;
pub const OTF2_Paradigm_enum_OTF2_PARADIGM_OMPSS: OTF2_Paradigm_enum = 9;
pub const OTF2_Paradigm_enum_OTF2_PARADIGM_HARDWARE: OTF2_Paradigm_enum = 10;
pub const OTF2_Paradigm_enum_OTF2_PARADIGM_GASPI: OTF2_Paradigm_enum = 11;
pub const OTF2_Paradigm_enum_OTF2_PARADIGM_UPC: OTF2_Paradigm_enum = 12;
pub const OTF2_Paradigm_enum_OTF2_PARADIGM_SHMEM: OTF2_Paradigm_enum = 13;
pub const OTF2_Paradigm_enum_OTF2_PARADIGM_WINTHREAD: OTF2_Paradigm_enum = 14;
pub const OTF2_Paradigm_enum_OTF2_PARADIGM_QTTHREAD: OTF2_Paradigm_enum = 15;
pub const OTF2_Paradigm_enum_OTF2_PARADIGM_ACETHREAD: OTF2_Paradigm_enum = 16;
pub const OTF2_Paradigm_enum_OTF2_PARADIGM_TBBTHREAD: OTF2_Paradigm_enum = 17;
pub const OTF2_Paradigm_enum_OTF2_PARADIGM_OPENACC: OTF2_Paradigm_enum = 18;
pub const OTF2_Paradigm_enum_OTF2_PARADIGM_OPENCL: OTF2_Paradigm_enum = 19;
pub const OTF2_Paradigm_enum_OTF2_PARADIGM_MTAPI: OTF2_Paradigm_enum = 20;
pub const OTF2_Paradigm_enum_OTF2_PARADIGM_SAMPLING: OTF2_Paradigm_enum = 21;
pub const OTF2_Paradigm_enum_OTF2_PARADIGM_NONE: OTF2_Paradigm_enum = 22;
pub const OTF2_Paradigm_enum_OTF2_PARADIGM_HIP: OTF2_Paradigm_enum = 23;
pub const OTF2_Paradigm_enum_OTF2_PARADIGM_KOKKOS: OTF2_Paradigm_enum = 24;
pub type OTF2_Paradigm_enum = ::core::ffi::c_uint;
pub type OTF2_ParadigmClass = u8;
pub const OTF2_ParadigmClass_enum_OTF2_PARADIGM_CLASS_PROCESS: OTF2_ParadigmClass_enum = 0;
pub const OTF2_ParadigmClass_enum_OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN: OTF2_ParadigmClass_enum = 1;
pub const OTF2_ParadigmClass_enum_OTF2_PARADIGM_CLASS_THREAD_CREATE_WAIT: OTF2_ParadigmClass_enum = 2;
pub const OTF2_ParadigmClass_enum_OTF2_PARADIGM_CLASS_ACCELERATOR: OTF2_ParadigmClass_enum = 3;
pub type OTF2_ParadigmClass_enum = ::core::ffi::c_uint;
pub type OTF2_ParadigmProperty = u8;
pub const OTF2_ParadigmProperty_enum_OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE: OTF2_ParadigmProperty_enum = 0;
pub const OTF2_ParadigmProperty_enum_OTF2_PARADIGM_PROPERTY_RMA_WIN_NAME_TEMPLATE: OTF2_ParadigmProperty_enum = 1;
pub const OTF2_ParadigmProperty_enum_OTF2_PARADIGM_PROPERTY_RMA_ONLY: OTF2_ParadigmProperty_enum = 2;
pub type OTF2_ParadigmProperty_enum = ::core::ffi::c_uint;
pub type OTF2_ThumbnailType = u8;
pub const OTF2_ThumbnailType_enum_OTF2_THUMBNAIL_TYPE_REGION: OTF2_ThumbnailType_enum = 0;
pub const OTF2_ThumbnailType_enum_OTF2_THUMBNAIL_TYPE_METRIC: OTF2_ThumbnailType_enum = 1;
pub const OTF2_ThumbnailType_enum_OTF2_THUMBNAIL_TYPE_ATTRIBUTES: OTF2_ThumbnailType_enum = 2;
pub type OTF2_ThumbnailType_enum = ::core::ffi::c_uint;
pub type OTF2_PreFlushCallback = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        fileType: OTF2_FileType,
        location: OTF2_LocationRef,
        callerData: *mut ::core::ffi::c_void,
        final_: bool,
    ) -> OTF2_FlushType,
>;
pub type OTF2_PostFlushCallback = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        fileType: OTF2_FileType,
        location: OTF2_LocationRef,
    ) -> OTF2_TimeStamp,
>;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct OTF2_FlushCallbacks {
    pub otf2_pre_flush: OTF2_PreFlushCallback,
    pub otf2_post_flush: OTF2_PostFlushCallback,
}
pub type OTF2_MemoryAllocate = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        fileType: OTF2_FileType,
        location: OTF2_LocationRef,
        perBufferData: *mut *mut ::core::ffi::c_void,
        chunkSize: u64,
    ) -> *mut ::core::ffi::c_void,
>;
pub type OTF2_MemoryFreeAll = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        fileType: OTF2_FileType,
        location: OTF2_LocationRef,
        perBufferData: *mut *mut ::core::ffi::c_void,
        final_: bool,
    ),
>;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct OTF2_MemoryCallbacks {
    pub otf2_allocate: OTF2_MemoryAllocate,
    pub otf2_free_all: OTF2_MemoryFreeAll,
}
#[repr(C)]
#[derive(Debug)]
pub struct OTF2_CollectiveContext {
    _unused: [u8; 0],
}
pub type OTF2_Collectives_GetSize = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        commContext: *mut OTF2_CollectiveContext,
        size: *mut u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_Collectives_GetRank = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        commContext: *mut OTF2_CollectiveContext,
        rank: *mut u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_Collectives_CreateLocalComm = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        localCommContext: *mut *mut OTF2_CollectiveContext,
        globalCommContext: *mut OTF2_CollectiveContext,
        globalRank: u32,
        globalSize: u32,
        localRank: u32,
        localSize: u32,
        fileNumber: u32,
        numberOfFiles: u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_Collectives_FreeLocalComm = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        localCommContext: *mut OTF2_CollectiveContext,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_Collectives_Barrier = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        commContext: *mut OTF2_CollectiveContext,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_Collectives_Bcast = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        commContext: *mut OTF2_CollectiveContext,
        data: *mut ::core::ffi::c_void,
        numberElements: u32,
        type_: OTF2_Type,
        root: u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_Collectives_Gather = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        commContext: *mut OTF2_CollectiveContext,
        inData: *const ::core::ffi::c_void,
        outData: *mut ::core::ffi::c_void,
        numberElements: u32,
        type_: OTF2_Type,
        root: u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_Collectives_Gatherv = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        commContext: *mut OTF2_CollectiveContext,
        inData: *const ::core::ffi::c_void,
        inElements: u32,
        outData: *mut ::core::ffi::c_void,
        outElements: *const u32,
        type_: OTF2_Type,
        root: u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_Collectives_Scatter = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        commContext: *mut OTF2_CollectiveContext,
        inData: *const ::core::ffi::c_void,
        outData: *mut ::core::ffi::c_void,
        numberElements: u32,
        type_: OTF2_Type,
        root: u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_Collectives_Scatterv = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        commContext: *mut OTF2_CollectiveContext,
        inData: *const ::core::ffi::c_void,
        inElements: *const u32,
        outData: *mut ::core::ffi::c_void,
        outElements: u32,
        type_: OTF2_Type,
        root: u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_Collectives_Release = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        globalCommContext: *mut OTF2_CollectiveContext,
        localCommContext: *mut OTF2_CollectiveContext,
    ),
>;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct OTF2_CollectiveCallbacks {
    pub otf2_release: OTF2_Collectives_Release,
    pub otf2_get_size: OTF2_Collectives_GetSize,
    pub otf2_get_rank: OTF2_Collectives_GetRank,
    pub otf2_create_local_comm: OTF2_Collectives_CreateLocalComm,
    pub otf2_free_local_comm: OTF2_Collectives_FreeLocalComm,
    pub otf2_barrier: OTF2_Collectives_Barrier,
    pub otf2_bcast: OTF2_Collectives_Bcast,
    pub otf2_gather: OTF2_Collectives_Gather,
    pub otf2_gatherv: OTF2_Collectives_Gatherv,
    pub otf2_scatter: OTF2_Collectives_Scatter,
    pub otf2_scatterv: OTF2_Collectives_Scatterv,
}
#[repr(C)]
#[derive(Debug)]
pub struct OTF2_LockObject {
    _unused: [u8; 0],
}
pub type OTF2_Lock = *mut OTF2_LockObject;
pub type OTF2_Locking_Create = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        lock: *mut OTF2_Lock,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_Locking_Destroy = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        lock: OTF2_Lock,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_Locking_Lock = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        lock: OTF2_Lock,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_Locking_Unlock = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        lock: OTF2_Lock,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_Locking_Release = ::core::option::Option<
    unsafe extern "C" fn(userData: *mut ::core::ffi::c_void),
>;
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct OTF2_LockingCallbacks {
    pub otf2_release: OTF2_Locking_Release,
    pub otf2_create: OTF2_Locking_Create,
    pub otf2_destroy: OTF2_Locking_Destroy,
    pub otf2_lock: OTF2_Locking_Lock,
    pub otf2_unlock: OTF2_Locking_Unlock,
}
pub type OTF2_SystemTreeDomain = u8;
pub const OTF2_SystemTreeDomain_enum_OTF2_SYSTEM_TREE_DOMAIN_MACHINE: OTF2_SystemTreeDomain_enum = 0;
pub const OTF2_SystemTreeDomain_enum_OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY: OTF2_SystemTreeDomain_enum = 1;
pub const OTF2_SystemTreeDomain_enum_OTF2_SYSTEM_TREE_DOMAIN_NUMA: OTF2_SystemTreeDomain_enum = 2;
pub const OTF2_SystemTreeDomain_enum_OTF2_SYSTEM_TREE_DOMAIN_SOCKET: OTF2_SystemTreeDomain_enum = 3;
pub const OTF2_SystemTreeDomain_enum_OTF2_SYSTEM_TREE_DOMAIN_CACHE: OTF2_SystemTreeDomain_enum = 4;
pub const OTF2_SystemTreeDomain_enum_OTF2_SYSTEM_TREE_DOMAIN_CORE: OTF2_SystemTreeDomain_enum = 5;
pub const OTF2_SystemTreeDomain_enum_OTF2_SYSTEM_TREE_DOMAIN_PU: OTF2_SystemTreeDomain_enum = 6;
pub const OTF2_SystemTreeDomain_enum_OTF2_SYSTEM_TREE_DOMAIN_ACCELERATOR_DEVICE: OTF2_SystemTreeDomain_enum = 7;
pub const OTF2_SystemTreeDomain_enum_OTF2_SYSTEM_TREE_DOMAIN_NETWORKING_DEVICE: OTF2_SystemTreeDomain_enum = 8;
pub type OTF2_SystemTreeDomain_enum = ::core::ffi::c_uint;
pub type OTF2_LocationGroupType = u8;
pub const OTF2_LocationGroupType_enum_OTF2_LOCATION_GROUP_TYPE_UNKNOWN: OTF2_LocationGroupType_enum = 0;
pub const OTF2_LocationGroupType_enum_OTF2_LOCATION_GROUP_TYPE_PROCESS: OTF2_LocationGroupType_enum = 1;
pub const OTF2_LocationGroupType_enum_OTF2_LOCATION_GROUP_TYPE_ACCELERATOR: OTF2_LocationGroupType_enum = 2;
pub type OTF2_LocationGroupType_enum = ::core::ffi::c_uint;
pub type OTF2_LocationType = u8;
pub const OTF2_LocationType_enum_OTF2_LOCATION_TYPE_UNKNOWN: OTF2_LocationType_enum = 0;
pub const OTF2_LocationType_enum_OTF2_LOCATION_TYPE_CPU_THREAD: OTF2_LocationType_enum = 1;
pub const OTF2_LocationType_enum_OTF2_LOCATION_TYPE_ACCELERATOR_STREAM: OTF2_LocationType_enum = 2;
pub const OTF2_LocationType_enum_OTF2_LOCATION_TYPE_GPU: OTF2_LocationType_enum = 2;
pub const OTF2_LocationType_enum_OTF2_LOCATION_TYPE_METRIC: OTF2_LocationType_enum = 3;
pub type OTF2_LocationType_enum = ::core::ffi::c_uint;
pub type OTF2_RegionRole = u8;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_UNKNOWN: OTF2_RegionRole_enum = 0;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_FUNCTION: OTF2_RegionRole_enum = 1;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_WRAPPER: OTF2_RegionRole_enum = 2;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_LOOP: OTF2_RegionRole_enum = 3;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_CODE: OTF2_RegionRole_enum = 4;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_PARALLEL: OTF2_RegionRole_enum = 5;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_SECTIONS: OTF2_RegionRole_enum = 6;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_SECTION: OTF2_RegionRole_enum = 7;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_WORKSHARE: OTF2_RegionRole_enum = 8;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_SINGLE: OTF2_RegionRole_enum = 9;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_SINGLE_SBLOCK: OTF2_RegionRole_enum = 10;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_MASTER: OTF2_RegionRole_enum = 11;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_CRITICAL: OTF2_RegionRole_enum = 12;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_CRITICAL_SBLOCK: OTF2_RegionRole_enum = 13;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_ATOMIC: OTF2_RegionRole_enum = 14;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_BARRIER: OTF2_RegionRole_enum = 15;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_IMPLICIT_BARRIER: OTF2_RegionRole_enum = 16;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_FLUSH: OTF2_RegionRole_enum = 17;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_ORDERED: OTF2_RegionRole_enum = 18;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_ORDERED_SBLOCK: OTF2_RegionRole_enum = 19;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_TASK: OTF2_RegionRole_enum = 20;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_TASK_CREATE: OTF2_RegionRole_enum = 21;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_TASK_WAIT: OTF2_RegionRole_enum = 22;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_COLL_ONE2ALL: OTF2_RegionRole_enum = 23;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_COLL_ALL2ONE: OTF2_RegionRole_enum = 24;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_COLL_ALL2ALL: OTF2_RegionRole_enum = 25;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_COLL_OTHER: OTF2_RegionRole_enum = 26;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_FILE_IO: OTF2_RegionRole_enum = 27;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_POINT2POINT: OTF2_RegionRole_enum = 28;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_RMA: OTF2_RegionRole_enum = 29;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_DATA_TRANSFER: OTF2_RegionRole_enum = 30;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_ARTIFICIAL: OTF2_RegionRole_enum = 31;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_THREAD_CREATE: OTF2_RegionRole_enum = 32;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_THREAD_WAIT: OTF2_RegionRole_enum = 33;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_TASK_UNTIED: OTF2_RegionRole_enum = 34;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_ALLOCATE: OTF2_RegionRole_enum = 35;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_DEALLOCATE: OTF2_RegionRole_enum = 36;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_REALLOCATE: OTF2_RegionRole_enum = 37;
pub const OTF2_RegionRole_enum_OTF2_REGION_ROLE_FILE_IO_METADATA: OTF2_RegionRole_enum = 38;
pub type OTF2_RegionRole_enum = ::core::ffi::c_uint;
pub type OTF2_RegionFlag = u32;
pub const OTF2_RegionFlag_enum_OTF2_REGION_FLAG_NONE: OTF2_RegionFlag_enum = 0;
pub const OTF2_RegionFlag_enum_OTF2_REGION_FLAG_DYNAMIC: OTF2_RegionFlag_enum = 1;
pub const OTF2_RegionFlag_enum_OTF2_REGION_FLAG_PHASE: OTF2_RegionFlag_enum = 2;
pub type OTF2_RegionFlag_enum = ::core::ffi::c_uint;
pub type OTF2_GroupType = u8;
pub const OTF2_GroupType_enum_OTF2_GROUP_TYPE_UNKNOWN: OTF2_GroupType_enum = 0;
pub const OTF2_GroupType_enum_OTF2_GROUP_TYPE_LOCATIONS: OTF2_GroupType_enum = 1;
pub const OTF2_GroupType_enum_OTF2_GROUP_TYPE_REGIONS: OTF2_GroupType_enum = 2;
pub const OTF2_GroupType_enum_OTF2_GROUP_TYPE_METRIC: OTF2_GroupType_enum = 3;
pub const OTF2_GroupType_enum_OTF2_GROUP_TYPE_COMM_LOCATIONS: OTF2_GroupType_enum = 4;
pub const OTF2_GroupType_enum_OTF2_GROUP_TYPE_COMM_GROUP: OTF2_GroupType_enum = 5;
pub const OTF2_GroupType_enum_OTF2_GROUP_TYPE_COMM_SELF: OTF2_GroupType_enum = 6;
pub type OTF2_GroupType_enum = ::core::ffi::c_uint;
pub type OTF2_GroupFlag = u32;
pub const OTF2_GroupFlag_enum_OTF2_GROUP_FLAG_NONE: OTF2_GroupFlag_enum = 0;
pub const OTF2_GroupFlag_enum_OTF2_GROUP_FLAG_GLOBAL_MEMBERS: OTF2_GroupFlag_enum = 1;
pub type OTF2_GroupFlag_enum = ::core::ffi::c_uint;
pub type OTF2_Base = u8;
pub const OTF2_Base_enum_OTF2_BASE_BINARY: OTF2_Base_enum = 0;
pub const OTF2_Base_enum_OTF2_BASE_DECIMAL: OTF2_Base_enum = 1;
pub type OTF2_Base_enum = ::core::ffi::c_uint;
pub type OTF2_MetricOccurrence = u8;
pub const OTF2_MetricOccurrence_enum_OTF2_METRIC_SYNCHRONOUS_STRICT: OTF2_MetricOccurrence_enum = 0;
pub const OTF2_MetricOccurrence_enum_OTF2_METRIC_SYNCHRONOUS: OTF2_MetricOccurrence_enum = 1;
pub const OTF2_MetricOccurrence_enum_OTF2_METRIC_ASYNCHRONOUS: OTF2_MetricOccurrence_enum = 2;
pub type OTF2_MetricOccurrence_enum = ::core::ffi::c_uint;
pub type OTF2_MetricType = u8;
pub const OTF2_MetricType_enum_OTF2_METRIC_TYPE_OTHER: OTF2_MetricType_enum = 0;
pub const OTF2_MetricType_enum_OTF2_METRIC_TYPE_PAPI: OTF2_MetricType_enum = 1;
pub const OTF2_MetricType_enum_OTF2_METRIC_TYPE_RUSAGE: OTF2_MetricType_enum = 2;
pub const OTF2_MetricType_enum_OTF2_METRIC_TYPE_USER: OTF2_MetricType_enum = 3;
pub type OTF2_MetricType_enum = ::core::ffi::c_uint;
pub type OTF2_MetricValueProperty = u8;
pub const OTF2_MetricValueProperty_enum_OTF2_METRIC_VALUE_ACCUMULATED: OTF2_MetricValueProperty_enum = 0;
pub const OTF2_MetricValueProperty_enum_OTF2_METRIC_VALUE_ABSOLUTE: OTF2_MetricValueProperty_enum = 1;
pub const OTF2_MetricValueProperty_enum_OTF2_METRIC_VALUE_RELATIVE: OTF2_MetricValueProperty_enum = 2;
pub const OTF2_MetricValueProperty_enum_OTF2_METRIC_VALUE_MASK: OTF2_MetricValueProperty_enum = 15;
pub type OTF2_MetricValueProperty_enum = ::core::ffi::c_uint;
pub type OTF2_MetricTiming = u8;
pub const OTF2_MetricTiming_enum_OTF2_METRIC_TIMING_START: OTF2_MetricTiming_enum = 0;
pub const OTF2_MetricTiming_enum_OTF2_METRIC_TIMING_POINT: OTF2_MetricTiming_enum = 16;
pub const OTF2_MetricTiming_enum_OTF2_METRIC_TIMING_LAST: OTF2_MetricTiming_enum = 32;
pub const OTF2_MetricTiming_enum_OTF2_METRIC_TIMING_NEXT: OTF2_MetricTiming_enum = 48;
pub const OTF2_MetricTiming_enum_OTF2_METRIC_TIMING_MASK: OTF2_MetricTiming_enum = 240;
pub type OTF2_MetricTiming_enum = ::core::ffi::c_uint;
pub type OTF2_MetricMode = u8;
pub const OTF2_MetricMode_enum_OTF2_METRIC_ACCUMULATED_START: OTF2_MetricMode_enum = 0;
pub const OTF2_MetricMode_enum_OTF2_METRIC_ACCUMULATED_POINT: OTF2_MetricMode_enum = 16;
pub const OTF2_MetricMode_enum_OTF2_METRIC_ACCUMULATED_LAST: OTF2_MetricMode_enum = 32;
pub const OTF2_MetricMode_enum_OTF2_METRIC_ACCUMULATED_NEXT: OTF2_MetricMode_enum = 48;
pub const OTF2_MetricMode_enum_OTF2_METRIC_ABSOLUTE_POINT: OTF2_MetricMode_enum = 17;
pub const OTF2_MetricMode_enum_OTF2_METRIC_ABSOLUTE_LAST: OTF2_MetricMode_enum = 33;
pub const OTF2_MetricMode_enum_OTF2_METRIC_ABSOLUTE_NEXT: OTF2_MetricMode_enum = 49;
pub const OTF2_MetricMode_enum_OTF2_METRIC_RELATIVE_POINT: OTF2_MetricMode_enum = 18;
pub const OTF2_MetricMode_enum_OTF2_METRIC_RELATIVE_LAST: OTF2_MetricMode_enum = 34;
pub const OTF2_MetricMode_enum_OTF2_METRIC_RELATIVE_NEXT: OTF2_MetricMode_enum = 50;
pub type OTF2_MetricMode_enum = ::core::ffi::c_uint;
pub type OTF2_MetricScope = u8;
pub const OTF2_MetricScope_enum_OTF2_SCOPE_LOCATION: OTF2_MetricScope_enum = 0;
pub const OTF2_MetricScope_enum_OTF2_SCOPE_LOCATION_GROUP: OTF2_MetricScope_enum = 1;
pub const OTF2_MetricScope_enum_OTF2_SCOPE_SYSTEM_TREE_NODE: OTF2_MetricScope_enum = 2;
pub const OTF2_MetricScope_enum_OTF2_SCOPE_GROUP: OTF2_MetricScope_enum = 3;
pub type OTF2_MetricScope_enum = ::core::ffi::c_uint;
pub type OTF2_RecorderKind = u8;
pub const OTF2_RecorderKind_enum_OTF2_RECORDER_KIND_UNKNOWN: OTF2_RecorderKind_enum = 0;
pub const OTF2_RecorderKind_enum_OTF2_RECORDER_KIND_ABSTRACT: OTF2_RecorderKind_enum = 1;
pub const OTF2_RecorderKind_enum_OTF2_RECORDER_KIND_CPU: OTF2_RecorderKind_enum = 2;
pub const OTF2_RecorderKind_enum_OTF2_RECORDER_KIND_GPU: OTF2_RecorderKind_enum = 3;
pub type OTF2_RecorderKind_enum = ::core::ffi::c_uint;
pub type OTF2_ParameterType = u8;
pub const OTF2_ParameterType_enum_OTF2_PARAMETER_TYPE_STRING: OTF2_ParameterType_enum = 0;
pub const OTF2_ParameterType_enum_OTF2_PARAMETER_TYPE_INT64: OTF2_ParameterType_enum = 1;
pub const OTF2_ParameterType_enum_OTF2_PARAMETER_TYPE_UINT64: OTF2_ParameterType_enum = 2;
pub type OTF2_ParameterType_enum = ::core::ffi::c_uint;
pub type OTF2_CartPeriodicity = u8;
pub const OTF2_CartPeriodicity_enum_OTF2_CART_PERIODIC_FALSE: OTF2_CartPeriodicity_enum = 0;
pub const OTF2_CartPeriodicity_enum_OTF2_CART_PERIODIC_TRUE: OTF2_CartPeriodicity_enum = 1;
pub type OTF2_CartPeriodicity_enum = ::core::ffi::c_uint;
pub type OTF2_InterruptGeneratorMode = u8;
pub const OTF2_InterruptGeneratorMode_enum_OTF2_INTERRUPT_GENERATOR_MODE_TIME: OTF2_InterruptGeneratorMode_enum = 0;
pub const OTF2_InterruptGeneratorMode_enum_OTF2_INTERRUPT_GENERATOR_MODE_COUNT: OTF2_InterruptGeneratorMode_enum = 1;
pub type OTF2_InterruptGeneratorMode_enum = ::core::ffi::c_uint;
pub type OTF2_IoParadigmClass = u8;
pub const OTF2_IoParadigmClass_enum_OTF2_IO_PARADIGM_CLASS_SERIAL: OTF2_IoParadigmClass_enum = 0;
pub const OTF2_IoParadigmClass_enum_OTF2_IO_PARADIGM_CLASS_PARALLEL: OTF2_IoParadigmClass_enum = 1;
pub type OTF2_IoParadigmClass_enum = ::core::ffi::c_uint;
pub type OTF2_IoParadigmFlag = u32;
pub const OTF2_IoParadigmFlag_enum_OTF2_IO_PARADIGM_FLAG_NONE: OTF2_IoParadigmFlag_enum = 0;
pub const OTF2_IoParadigmFlag_enum_OTF2_IO_PARADIGM_FLAG_OS: OTF2_IoParadigmFlag_enum = 1;
pub type OTF2_IoParadigmFlag_enum = ::core::ffi::c_uint;
pub type OTF2_IoParadigmProperty = u8;
pub const OTF2_IoParadigmProperty_enum_OTF2_IO_PARADIGM_PROPERTY_VERSION: OTF2_IoParadigmProperty_enum = 0;
pub type OTF2_IoParadigmProperty_enum = ::core::ffi::c_uint;
pub type OTF2_IoHandleFlag = u32;
pub const OTF2_IoHandleFlag_enum_OTF2_IO_HANDLE_FLAG_NONE: OTF2_IoHandleFlag_enum = 0;
pub const OTF2_IoHandleFlag_enum_OTF2_IO_HANDLE_FLAG_PRE_CREATED: OTF2_IoHandleFlag_enum = 1;
pub const OTF2_IoHandleFlag_enum_OTF2_IO_HANDLE_FLAG_ALL_PROXY: OTF2_IoHandleFlag_enum = 2;
pub type OTF2_IoHandleFlag_enum = ::core::ffi::c_uint;
pub type OTF2_IoAccessMode = u8;
pub const OTF2_IoAccessMode_enum_OTF2_IO_ACCESS_MODE_READ_ONLY: OTF2_IoAccessMode_enum = 0;
pub const OTF2_IoAccessMode_enum_OTF2_IO_ACCESS_MODE_WRITE_ONLY: OTF2_IoAccessMode_enum = 1;
pub const OTF2_IoAccessMode_enum_OTF2_IO_ACCESS_MODE_READ_WRITE: OTF2_IoAccessMode_enum = 2;
pub const OTF2_IoAccessMode_enum_OTF2_IO_ACCESS_MODE_EXECUTE_ONLY: OTF2_IoAccessMode_enum = 3;
pub const OTF2_IoAccessMode_enum_OTF2_IO_ACCESS_MODE_SEARCH_ONLY: OTF2_IoAccessMode_enum = 4;
pub type OTF2_IoAccessMode_enum = ::core::ffi::c_uint;
pub type OTF2_IoStatusFlag = u32;
pub const OTF2_IoStatusFlag_enum_OTF2_IO_STATUS_FLAG_NONE: OTF2_IoStatusFlag_enum = 0;
pub const OTF2_IoStatusFlag_enum_OTF2_IO_STATUS_FLAG_CLOSE_ON_EXEC: OTF2_IoStatusFlag_enum = 1;
pub const OTF2_IoStatusFlag_enum_OTF2_IO_STATUS_FLAG_APPEND: OTF2_IoStatusFlag_enum = 2;
pub const OTF2_IoStatusFlag_enum_OTF2_IO_STATUS_FLAG_NON_BLOCKING: OTF2_IoStatusFlag_enum = 4;
pub const OTF2_IoStatusFlag_enum_OTF2_IO_STATUS_FLAG_ASYNC: OTF2_IoStatusFlag_enum = 8;
pub const OTF2_IoStatusFlag_enum_OTF2_IO_STATUS_FLAG_SYNC: OTF2_IoStatusFlag_enum = 16;
pub const OTF2_IoStatusFlag_enum_OTF2_IO_STATUS_FLAG_DATA_SYNC: OTF2_IoStatusFlag_enum = 32;
pub const OTF2_IoStatusFlag_enum_OTF2_IO_STATUS_FLAG_AVOID_CACHING: OTF2_IoStatusFlag_enum = 64;
pub const OTF2_IoStatusFlag_enum_OTF2_IO_STATUS_FLAG_NO_ACCESS_TIME: OTF2_IoStatusFlag_enum = 128;
pub const OTF2_IoStatusFlag_enum_OTF2_IO_STATUS_FLAG_DELETE_ON_CLOSE: OTF2_IoStatusFlag_enum = 256;
pub type OTF2_IoStatusFlag_enum = ::core::ffi::c_uint;
pub type OTF2_CommFlag = u32;
pub const OTF2_CommFlag_enum_OTF2_COMM_FLAG_NONE: OTF2_CommFlag_enum = 0;
pub const OTF2_CommFlag_enum_OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS: OTF2_CommFlag_enum = 1;
pub type OTF2_CommFlag_enum = ::core::ffi::c_uint;
pub type OTF2_RmaWinFlag = u32;
pub const OTF2_RmaWinFlag_enum_OTF2_RMA_WIN_FLAG_NONE: OTF2_RmaWinFlag_enum = 0;
pub const OTF2_RmaWinFlag_enum_OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS: OTF2_RmaWinFlag_enum = 1;
pub type OTF2_RmaWinFlag_enum = ::core::ffi::c_uint;
pub type OTF2_MeasurementMode = u8;
pub const OTF2_MeasurementMode_enum_OTF2_MEASUREMENT_ON: OTF2_MeasurementMode_enum = 1;
pub const OTF2_MeasurementMode_enum_OTF2_MEASUREMENT_OFF: OTF2_MeasurementMode_enum = 2;
pub type OTF2_MeasurementMode_enum = ::core::ffi::c_uint;
pub type OTF2_CollectiveOp = u8;
pub const OTF2_CollectiveOp_enum_OTF2_COLLECTIVE_OP_BARRIER: OTF2_CollectiveOp_enum = 0;
pub const OTF2_CollectiveOp_enum_OTF2_COLLECTIVE_OP_BCAST: OTF2_CollectiveOp_enum = 1;
pub const OTF2_CollectiveOp_enum_OTF2_COLLECTIVE_OP_GATHER: OTF2_CollectiveOp_enum = 2;
pub const OTF2_CollectiveOp_enum_OTF2_COLLECTIVE_OP_GATHERV: OTF2_CollectiveOp_enum = 3;
pub const OTF2_CollectiveOp_enum_OTF2_COLLECTIVE_OP_SCATTER: OTF2_CollectiveOp_enum = 4;
pub const OTF2_CollectiveOp_enum_OTF2_COLLECTIVE_OP_SCATTERV: OTF2_CollectiveOp_enum = 5;
pub const OTF2_CollectiveOp_enum_OTF2_COLLECTIVE_OP_ALLGATHER: OTF2_CollectiveOp_enum = 6;
pub const OTF2_CollectiveOp_enum_OTF2_COLLECTIVE_OP_ALLGATHERV: OTF2_CollectiveOp_enum = 7;
pub const OTF2_CollectiveOp_enum_OTF2_COLLECTIVE_OP_ALLTOALL: OTF2_CollectiveOp_enum = 8;
pub const OTF2_CollectiveOp_enum_OTF2_COLLECTIVE_OP_ALLTOALLV: OTF2_CollectiveOp_enum = 9;
pub const OTF2_CollectiveOp_enum_OTF2_COLLECTIVE_OP_ALLTOALLW: OTF2_CollectiveOp_enum = 10;
pub const OTF2_CollectiveOp_enum_OTF2_COLLECTIVE_OP_ALLREDUCE: OTF2_CollectiveOp_enum = 11;
pub const OTF2_CollectiveOp_enum_OTF2_COLLECTIVE_OP_REDUCE: OTF2_CollectiveOp_enum = 12;
pub const OTF2_CollectiveOp_enum_OTF2_COLLECTIVE_OP_REDUCE_SCATTER: OTF2_CollectiveOp_enum = 13;
pub const OTF2_CollectiveOp_enum_OTF2_COLLECTIVE_OP_SCAN: OTF2_CollectiveOp_enum = 14;
pub const OTF2_CollectiveOp_enum_OTF2_COLLECTIVE_OP_EXSCAN: OTF2_CollectiveOp_enum = 15;
pub const OTF2_CollectiveOp_enum_OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK: OTF2_CollectiveOp_enum = 16;
pub const OTF2_CollectiveOp_enum_OTF2_COLLECTIVE_OP_CREATE_HANDLE: OTF2_CollectiveOp_enum = 17;
pub const OTF2_CollectiveOp_enum_OTF2_COLLECTIVE_OP_DESTROY_HANDLE: OTF2_CollectiveOp_enum = 18;
pub const OTF2_CollectiveOp_enum_OTF2_COLLECTIVE_OP_ALLOCATE: OTF2_CollectiveOp_enum = 19;
pub const OTF2_CollectiveOp_enum_OTF2_COLLECTIVE_OP_DEALLOCATE: OTF2_CollectiveOp_enum = 20;
pub const OTF2_CollectiveOp_enum_OTF2_COLLECTIVE_OP_CREATE_HANDLE_AND_ALLOCATE: OTF2_CollectiveOp_enum = 21;
pub const OTF2_CollectiveOp_enum_OTF2_COLLECTIVE_OP_DESTROY_HANDLE_AND_DEALLOCATE: OTF2_CollectiveOp_enum = 22;
pub type OTF2_CollectiveOp_enum = ::core::ffi::c_uint;
pub type OTF2_RmaSyncType = u8;
pub const OTF2_RmaSyncType_enum_OTF2_RMA_SYNC_TYPE_MEMORY: OTF2_RmaSyncType_enum = 0;
pub const OTF2_RmaSyncType_enum_OTF2_RMA_SYNC_TYPE_NOTIFY_IN: OTF2_RmaSyncType_enum = 1;
pub const OTF2_RmaSyncType_enum_OTF2_RMA_SYNC_TYPE_NOTIFY_OUT: OTF2_RmaSyncType_enum = 2;
pub type OTF2_RmaSyncType_enum = ::core::ffi::c_uint;
pub type OTF2_RmaSyncLevel = u32;
pub const OTF2_RmaSyncLevel_enum_OTF2_RMA_SYNC_LEVEL_NONE: OTF2_RmaSyncLevel_enum = 0;
pub const OTF2_RmaSyncLevel_enum_OTF2_RMA_SYNC_LEVEL_PROCESS: OTF2_RmaSyncLevel_enum = 1;
pub const OTF2_RmaSyncLevel_enum_OTF2_RMA_SYNC_LEVEL_MEMORY: OTF2_RmaSyncLevel_enum = 2;
pub type OTF2_RmaSyncLevel_enum = ::core::ffi::c_uint;
pub type OTF2_LockType = u8;
pub const OTF2_LockType_enum_OTF2_LOCK_EXCLUSIVE: OTF2_LockType_enum = 0;
pub const OTF2_LockType_enum_OTF2_LOCK_SHARED: OTF2_LockType_enum = 1;
pub type OTF2_LockType_enum = ::core::ffi::c_uint;
pub type OTF2_RmaAtomicType = u8;
pub const OTF2_RmaAtomicType_enum_OTF2_RMA_ATOMIC_TYPE_ACCUMULATE: OTF2_RmaAtomicType_enum = 0;
pub const OTF2_RmaAtomicType_enum_OTF2_RMA_ATOMIC_TYPE_INCREMENT: OTF2_RmaAtomicType_enum = 1;
pub const OTF2_RmaAtomicType_enum_OTF2_RMA_ATOMIC_TYPE_TEST_AND_SET: OTF2_RmaAtomicType_enum = 2;
pub const OTF2_RmaAtomicType_enum_OTF2_RMA_ATOMIC_TYPE_COMPARE_AND_SWAP: OTF2_RmaAtomicType_enum = 3;
pub const OTF2_RmaAtomicType_enum_OTF2_RMA_ATOMIC_TYPE_SWAP: OTF2_RmaAtomicType_enum = 4;
pub const OTF2_RmaAtomicType_enum_OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ADD: OTF2_RmaAtomicType_enum = 5;
pub const OTF2_RmaAtomicType_enum_OTF2_RMA_ATOMIC_TYPE_FETCH_AND_INCREMENT: OTF2_RmaAtomicType_enum = 6;
pub const OTF2_RmaAtomicType_enum_OTF2_RMA_ATOMIC_TYPE_FETCH_AND_ACCUMULATE: OTF2_RmaAtomicType_enum = 7;
pub type OTF2_RmaAtomicType_enum = ::core::ffi::c_uint;
pub type OTF2_IoCreationFlag = u32;
pub const OTF2_IoCreationFlag_enum_OTF2_IO_CREATION_FLAG_NONE: OTF2_IoCreationFlag_enum = 0;
pub const OTF2_IoCreationFlag_enum_OTF2_IO_CREATION_FLAG_CREATE: OTF2_IoCreationFlag_enum = 1;
pub const OTF2_IoCreationFlag_enum_OTF2_IO_CREATION_FLAG_TRUNCATE: OTF2_IoCreationFlag_enum = 2;
pub const OTF2_IoCreationFlag_enum_OTF2_IO_CREATION_FLAG_DIRECTORY: OTF2_IoCreationFlag_enum = 4;
pub const OTF2_IoCreationFlag_enum_OTF2_IO_CREATION_FLAG_EXCLUSIVE: OTF2_IoCreationFlag_enum = 8;
pub const OTF2_IoCreationFlag_enum_OTF2_IO_CREATION_FLAG_NO_CONTROLLING_TERMINAL: OTF2_IoCreationFlag_enum = 16;
pub const OTF2_IoCreationFlag_enum_OTF2_IO_CREATION_FLAG_NO_FOLLOW: OTF2_IoCreationFlag_enum = 32;
pub const OTF2_IoCreationFlag_enum_OTF2_IO_CREATION_FLAG_PATH: OTF2_IoCreationFlag_enum = 64;
pub const OTF2_IoCreationFlag_enum_OTF2_IO_CREATION_FLAG_TEMPORARY_FILE: OTF2_IoCreationFlag_enum = 128;
pub const OTF2_IoCreationFlag_enum_OTF2_IO_CREATION_FLAG_LARGEFILE: OTF2_IoCreationFlag_enum = 256;
pub const OTF2_IoCreationFlag_enum_OTF2_IO_CREATION_FLAG_NO_SEEK: OTF2_IoCreationFlag_enum = 512;
pub const OTF2_IoCreationFlag_enum_OTF2_IO_CREATION_FLAG_UNIQUE: OTF2_IoCreationFlag_enum = 1024;
pub type OTF2_IoCreationFlag_enum = ::core::ffi::c_uint;
pub type OTF2_IoSeekOption = u8;
pub const OTF2_IoSeekOption_enum_OTF2_IO_SEEK_FROM_START: OTF2_IoSeekOption_enum = 0;
pub const OTF2_IoSeekOption_enum_OTF2_IO_SEEK_FROM_CURRENT: OTF2_IoSeekOption_enum = 1;
pub const OTF2_IoSeekOption_enum_OTF2_IO_SEEK_FROM_END: OTF2_IoSeekOption_enum = 2;
pub const OTF2_IoSeekOption_enum_OTF2_IO_SEEK_DATA: OTF2_IoSeekOption_enum = 3;
pub const OTF2_IoSeekOption_enum_OTF2_IO_SEEK_HOLE: OTF2_IoSeekOption_enum = 4;
pub type OTF2_IoSeekOption_enum = ::core::ffi::c_uint;
pub type OTF2_IoOperationMode = u8;
pub const OTF2_IoOperationMode_enum_OTF2_IO_OPERATION_MODE_READ: OTF2_IoOperationMode_enum = 0;
pub const OTF2_IoOperationMode_enum_OTF2_IO_OPERATION_MODE_WRITE: OTF2_IoOperationMode_enum = 1;
pub const OTF2_IoOperationMode_enum_OTF2_IO_OPERATION_MODE_FLUSH: OTF2_IoOperationMode_enum = 2;
pub type OTF2_IoOperationMode_enum = ::core::ffi::c_uint;
pub type OTF2_IoOperationFlag = u32;
pub const OTF2_IoOperationFlag_enum_OTF2_IO_OPERATION_FLAG_NONE: OTF2_IoOperationFlag_enum = 0;
pub const OTF2_IoOperationFlag_enum_OTF2_IO_OPERATION_FLAG_NON_BLOCKING: OTF2_IoOperationFlag_enum = 1;
pub const OTF2_IoOperationFlag_enum_OTF2_IO_OPERATION_FLAG_COLLECTIVE: OTF2_IoOperationFlag_enum = 2;
pub type OTF2_IoOperationFlag_enum = ::core::ffi::c_uint;
pub type OTF2_CollectiveRoot = u32;
pub const OTF2_CollectiveRoot_enum_OTF2_COLLECTIVE_ROOT_NONE: OTF2_CollectiveRoot_enum = 4294967295;
pub const OTF2_CollectiveRoot_enum_OTF2_COLLECTIVE_ROOT_SELF: OTF2_CollectiveRoot_enum = 4294967294;
pub const OTF2_CollectiveRoot_enum_OTF2_COLLECTIVE_ROOT_THIS_GROUP: OTF2_CollectiveRoot_enum = 4294967293;
pub type OTF2_CollectiveRoot_enum = ::core::ffi::c_uint;
#[repr(C)]
#[derive(Copy, Clone)]
pub union OTF2_MetricValue_union {
    pub signed_int: i64,
    pub unsigned_int: u64,
    pub floating_point: f64,
}
pub type OTF2_MetricValue = OTF2_MetricValue_union;
#[repr(C)]
#[derive(Copy, Clone)]
pub union OTF2_AttributeValue_union {
    pub uint8: u8,
    pub uint16: u16,
    pub uint32: u32,
    pub uint64: u64,
    pub int8: i8,
    pub int16: i16,
    pub int32: i32,
    pub int64: i64,
    pub float32: f32,
    pub float64: f64,
    pub stringRef: OTF2_StringRef,
    pub attributeRef: OTF2_AttributeRef,
    pub locationRef: OTF2_LocationRef,
    pub regionRef: OTF2_RegionRef,
    pub groupRef: OTF2_GroupRef,
    pub metricRef: OTF2_MetricRef,
    pub commRef: OTF2_CommRef,
    pub parameterRef: OTF2_ParameterRef,
    pub rmaWinRef: OTF2_RmaWinRef,
    pub sourceCodeLocationRef: OTF2_SourceCodeLocationRef,
    pub callingContextRef: OTF2_CallingContextRef,
    pub interruptGeneratorRef: OTF2_InterruptGeneratorRef,
    pub ioFileRef: OTF2_IoFileRef,
    pub ioHandleRef: OTF2_IoHandleRef,
    pub locationGroupRef: OTF2_LocationGroupRef,
}
pub type OTF2_AttributeValue = OTF2_AttributeValue_union;
#[repr(C)]
#[derive(Debug)]
pub struct OTF2_IdMap_struct {
    _unused: [u8; 0],
}
pub type OTF2_IdMap = OTF2_IdMap_struct;
pub type OTF2_IdMapMode = u8;
pub const OTF2_IdMapMode_enum_OTF2_ID_MAP_DENSE: OTF2_IdMapMode_enum = 0;
pub const OTF2_IdMapMode_enum_OTF2_ID_MAP_SPARSE: OTF2_IdMapMode_enum = 1;
pub type OTF2_IdMapMode_enum = ::core::ffi::c_uint;
pub type OTF2_IdMap_TraverseCallback = ::core::option::Option<
    unsafe extern "C" fn(localId: u64, globalId: u64, userData: *mut ::core::ffi::c_void),
>;
#[repr(C)]
#[derive(Debug)]
pub struct OTF2_DefWriter_struct {
    _unused: [u8; 0],
}
pub type OTF2_DefWriter = OTF2_DefWriter_struct;
#[repr(C)]
#[derive(Debug)]
pub struct OTF2_DefReaderCallbacks_struct {
    _unused: [u8; 0],
}
pub type OTF2_DefReaderCallbacks = OTF2_DefReaderCallbacks_struct;
pub type OTF2_DefReaderCallback_Unknown = ::core::option::Option<
    unsafe extern "C" fn(userData: *mut ::core::ffi::c_void) -> OTF2_CallbackCode,
>;
pub type OTF2_DefReaderCallback_MappingTable = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        mappingType: OTF2_MappingType,
        idMap: *const OTF2_IdMap,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_DefReaderCallback_ClockOffset = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        time: OTF2_TimeStamp,
        offset: i64,
        standardDeviation: f64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_DefReaderCallback_String = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_StringRef,
        string: *const ::core::ffi::c_char,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_DefReaderCallback_Attribute = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_AttributeRef,
        name: OTF2_StringRef,
        description: OTF2_StringRef,
        type_: OTF2_Type,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_DefReaderCallback_SystemTreeNode = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_SystemTreeNodeRef,
        name: OTF2_StringRef,
        className: OTF2_StringRef,
        parent: OTF2_SystemTreeNodeRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_DefReaderCallback_LocationGroup = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_LocationGroupRef,
        name: OTF2_StringRef,
        locationGroupType: OTF2_LocationGroupType,
        systemTreeParent: OTF2_SystemTreeNodeRef,
        creatingLocationGroup: OTF2_LocationGroupRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_DefReaderCallback_Location = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_LocationRef,
        name: OTF2_StringRef,
        locationType: OTF2_LocationType,
        numberOfEvents: u64,
        locationGroup: OTF2_LocationGroupRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_DefReaderCallback_Region = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_RegionRef,
        name: OTF2_StringRef,
        canonicalName: OTF2_StringRef,
        description: OTF2_StringRef,
        regionRole: OTF2_RegionRole,
        paradigm: OTF2_Paradigm,
        regionFlags: OTF2_RegionFlag,
        sourceFile: OTF2_StringRef,
        beginLineNumber: u32,
        endLineNumber: u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_DefReaderCallback_Callsite = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_CallsiteRef,
        sourceFile: OTF2_StringRef,
        lineNumber: u32,
        enteredRegion: OTF2_RegionRef,
        leftRegion: OTF2_RegionRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_DefReaderCallback_Callpath = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_CallpathRef,
        parent: OTF2_CallpathRef,
        region: OTF2_RegionRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_DefReaderCallback_Group = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_GroupRef,
        name: OTF2_StringRef,
        groupType: OTF2_GroupType,
        paradigm: OTF2_Paradigm,
        groupFlags: OTF2_GroupFlag,
        numberOfMembers: u32,
        members: *const u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_DefReaderCallback_MetricMember = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_MetricMemberRef,
        name: OTF2_StringRef,
        description: OTF2_StringRef,
        metricType: OTF2_MetricType,
        metricMode: OTF2_MetricMode,
        valueType: OTF2_Type,
        base: OTF2_Base,
        exponent: i64,
        unit: OTF2_StringRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_DefReaderCallback_MetricClass = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_MetricRef,
        numberOfMetrics: u8,
        metricMembers: *const OTF2_MetricMemberRef,
        metricOccurrence: OTF2_MetricOccurrence,
        recorderKind: OTF2_RecorderKind,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_DefReaderCallback_MetricInstance = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_MetricRef,
        metricClass: OTF2_MetricRef,
        recorder: OTF2_LocationRef,
        metricScope: OTF2_MetricScope,
        scope: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_DefReaderCallback_Comm = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_CommRef,
        name: OTF2_StringRef,
        group: OTF2_GroupRef,
        parent: OTF2_CommRef,
        flags: OTF2_CommFlag,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_DefReaderCallback_Parameter = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_ParameterRef,
        name: OTF2_StringRef,
        parameterType: OTF2_ParameterType,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_DefReaderCallback_RmaWin = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_RmaWinRef,
        name: OTF2_StringRef,
        comm: OTF2_CommRef,
        flags: OTF2_RmaWinFlag,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_DefReaderCallback_MetricClassRecorder = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        metric: OTF2_MetricRef,
        recorder: OTF2_LocationRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_DefReaderCallback_SystemTreeNodeProperty = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        systemTreeNode: OTF2_SystemTreeNodeRef,
        name: OTF2_StringRef,
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_DefReaderCallback_SystemTreeNodeDomain = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        systemTreeNode: OTF2_SystemTreeNodeRef,
        systemTreeDomain: OTF2_SystemTreeDomain,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_DefReaderCallback_LocationGroupProperty = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        locationGroup: OTF2_LocationGroupRef,
        name: OTF2_StringRef,
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_DefReaderCallback_LocationProperty = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        location: OTF2_LocationRef,
        name: OTF2_StringRef,
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_DefReaderCallback_CartDimension = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_CartDimensionRef,
        name: OTF2_StringRef,
        size: u32,
        cartPeriodicity: OTF2_CartPeriodicity,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_DefReaderCallback_CartTopology = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_CartTopologyRef,
        name: OTF2_StringRef,
        communicator: OTF2_CommRef,
        numberOfDimensions: u8,
        cartDimensions: *const OTF2_CartDimensionRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_DefReaderCallback_CartCoordinate = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        cartTopology: OTF2_CartTopologyRef,
        rank: u32,
        numberOfDimensions: u8,
        coordinates: *const u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_DefReaderCallback_SourceCodeLocation = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_SourceCodeLocationRef,
        file: OTF2_StringRef,
        lineNumber: u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_DefReaderCallback_CallingContext = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_CallingContextRef,
        region: OTF2_RegionRef,
        sourceCodeLocation: OTF2_SourceCodeLocationRef,
        parent: OTF2_CallingContextRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_DefReaderCallback_CallingContextProperty = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        callingContext: OTF2_CallingContextRef,
        name: OTF2_StringRef,
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_DefReaderCallback_InterruptGenerator = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_InterruptGeneratorRef,
        name: OTF2_StringRef,
        interruptGeneratorMode: OTF2_InterruptGeneratorMode,
        base: OTF2_Base,
        exponent: i64,
        period: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_DefReaderCallback_IoFileProperty = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        ioFile: OTF2_IoFileRef,
        name: OTF2_StringRef,
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_DefReaderCallback_IoRegularFile = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_IoFileRef,
        name: OTF2_StringRef,
        scope: OTF2_SystemTreeNodeRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_DefReaderCallback_IoDirectory = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_IoFileRef,
        name: OTF2_StringRef,
        scope: OTF2_SystemTreeNodeRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_DefReaderCallback_IoHandle = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_IoHandleRef,
        name: OTF2_StringRef,
        file: OTF2_IoFileRef,
        ioParadigm: OTF2_IoParadigmRef,
        ioHandleFlags: OTF2_IoHandleFlag,
        comm: OTF2_CommRef,
        parent: OTF2_IoHandleRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_DefReaderCallback_IoPreCreatedHandleState = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        ioHandle: OTF2_IoHandleRef,
        mode: OTF2_IoAccessMode,
        statusFlags: OTF2_IoStatusFlag,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_DefReaderCallback_CallpathParameter = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        callpath: OTF2_CallpathRef,
        parameter: OTF2_ParameterRef,
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_DefReaderCallback_InterComm = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_CommRef,
        name: OTF2_StringRef,
        groupA: OTF2_GroupRef,
        groupB: OTF2_GroupRef,
        commonCommunicator: OTF2_CommRef,
        flags: OTF2_CommFlag,
    ) -> OTF2_CallbackCode,
>;
#[repr(C)]
#[derive(Debug)]
pub struct OTF2_AttributeList_struct {
    _unused: [u8; 0],
}
pub type OTF2_AttributeList = OTF2_AttributeList_struct;
#[repr(C)]
#[derive(Debug)]
pub struct OTF2_EvtWriter_struct {
    _unused: [u8; 0],
}
pub type OTF2_EvtWriter = OTF2_EvtWriter_struct;
#[repr(C)]
#[derive(Debug)]
pub struct OTF2_EvtReaderCallbacks_struct {
    _unused: [u8; 0],
}
pub type OTF2_EvtReaderCallbacks = OTF2_EvtReaderCallbacks_struct;
pub type OTF2_EvtReaderCallback_Unknown = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_BufferFlush = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        stopTime: OTF2_TimeStamp,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_MeasurementOnOff = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        measurementMode: OTF2_MeasurementMode,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_Enter = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        region: OTF2_RegionRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_Leave = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        region: OTF2_RegionRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_MpiSend = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        receiver: u32,
        communicator: OTF2_CommRef,
        msgTag: u32,
        msgLength: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_MpiIsend = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        receiver: u32,
        communicator: OTF2_CommRef,
        msgTag: u32,
        msgLength: u64,
        requestID: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_MpiIsendComplete = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        requestID: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_MpiIrecvRequest = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        requestID: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_MpiRecv = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        sender: u32,
        communicator: OTF2_CommRef,
        msgTag: u32,
        msgLength: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_MpiIrecv = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        sender: u32,
        communicator: OTF2_CommRef,
        msgTag: u32,
        msgLength: u64,
        requestID: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_MpiRequestTest = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        requestID: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_MpiRequestCancelled = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        requestID: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_MpiCollectiveBegin = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_MpiCollectiveEnd = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        collectiveOp: OTF2_CollectiveOp,
        communicator: OTF2_CommRef,
        root: u32,
        sizeSent: u64,
        sizeReceived: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_OmpFork = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        numberOfRequestedThreads: u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_OmpJoin = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_OmpAcquireLock = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        lockID: u32,
        acquisitionOrder: u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_OmpReleaseLock = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        lockID: u32,
        acquisitionOrder: u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_OmpTaskCreate = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        taskID: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_OmpTaskSwitch = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        taskID: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_OmpTaskComplete = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        taskID: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_Metric = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        metric: OTF2_MetricRef,
        numberOfMetrics: u8,
        typeIDs: *const OTF2_Type,
        metricValues: *const OTF2_MetricValue,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_ParameterString = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        parameter: OTF2_ParameterRef,
        string: OTF2_StringRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_ParameterInt = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        parameter: OTF2_ParameterRef,
        value: i64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_ParameterUnsignedInt = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        parameter: OTF2_ParameterRef,
        value: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_RmaWinCreate = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        win: OTF2_RmaWinRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_RmaWinDestroy = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        win: OTF2_RmaWinRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_RmaCollectiveBegin = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_RmaCollectiveEnd = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        collectiveOp: OTF2_CollectiveOp,
        syncLevel: OTF2_RmaSyncLevel,
        win: OTF2_RmaWinRef,
        root: u32,
        bytesSent: u64,
        bytesReceived: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_RmaGroupSync = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        syncLevel: OTF2_RmaSyncLevel,
        win: OTF2_RmaWinRef,
        group: OTF2_GroupRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_RmaRequestLock = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        win: OTF2_RmaWinRef,
        remote: u32,
        lockId: u64,
        lockType: OTF2_LockType,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_RmaAcquireLock = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        win: OTF2_RmaWinRef,
        remote: u32,
        lockId: u64,
        lockType: OTF2_LockType,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_RmaTryLock = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        win: OTF2_RmaWinRef,
        remote: u32,
        lockId: u64,
        lockType: OTF2_LockType,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_RmaReleaseLock = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        win: OTF2_RmaWinRef,
        remote: u32,
        lockId: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_RmaSync = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        win: OTF2_RmaWinRef,
        remote: u32,
        syncType: OTF2_RmaSyncType,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_RmaWaitChange = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        win: OTF2_RmaWinRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_RmaPut = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        win: OTF2_RmaWinRef,
        remote: u32,
        bytes: u64,
        matchingId: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_RmaGet = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        win: OTF2_RmaWinRef,
        remote: u32,
        bytes: u64,
        matchingId: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_RmaAtomic = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        win: OTF2_RmaWinRef,
        remote: u32,
        type_: OTF2_RmaAtomicType,
        bytesSent: u64,
        bytesReceived: u64,
        matchingId: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_RmaOpCompleteBlocking = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        win: OTF2_RmaWinRef,
        matchingId: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_RmaOpCompleteNonBlocking = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        win: OTF2_RmaWinRef,
        matchingId: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_RmaOpTest = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        win: OTF2_RmaWinRef,
        matchingId: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_RmaOpCompleteRemote = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        win: OTF2_RmaWinRef,
        matchingId: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_ThreadFork = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        model: OTF2_Paradigm,
        numberOfRequestedThreads: u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_ThreadJoin = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        model: OTF2_Paradigm,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_ThreadTeamBegin = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        threadTeam: OTF2_CommRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_ThreadTeamEnd = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        threadTeam: OTF2_CommRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_ThreadAcquireLock = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        model: OTF2_Paradigm,
        lockID: u32,
        acquisitionOrder: u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_ThreadReleaseLock = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        model: OTF2_Paradigm,
        lockID: u32,
        acquisitionOrder: u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_ThreadTaskCreate = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        threadTeam: OTF2_CommRef,
        creatingThread: u32,
        generationNumber: u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_ThreadTaskSwitch = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        threadTeam: OTF2_CommRef,
        creatingThread: u32,
        generationNumber: u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_ThreadTaskComplete = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        threadTeam: OTF2_CommRef,
        creatingThread: u32,
        generationNumber: u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_ThreadCreate = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        threadContingent: OTF2_CommRef,
        sequenceCount: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_ThreadBegin = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        threadContingent: OTF2_CommRef,
        sequenceCount: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_ThreadWait = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        threadContingent: OTF2_CommRef,
        sequenceCount: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_ThreadEnd = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        threadContingent: OTF2_CommRef,
        sequenceCount: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_CallingContextEnter = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        callingContext: OTF2_CallingContextRef,
        unwindDistance: u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_CallingContextLeave = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        callingContext: OTF2_CallingContextRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_CallingContextSample = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        callingContext: OTF2_CallingContextRef,
        unwindDistance: u32,
        interruptGenerator: OTF2_InterruptGeneratorRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_IoCreateHandle = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        handle: OTF2_IoHandleRef,
        mode: OTF2_IoAccessMode,
        creationFlags: OTF2_IoCreationFlag,
        statusFlags: OTF2_IoStatusFlag,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_IoDestroyHandle = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        handle: OTF2_IoHandleRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_IoDuplicateHandle = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        oldHandle: OTF2_IoHandleRef,
        newHandle: OTF2_IoHandleRef,
        statusFlags: OTF2_IoStatusFlag,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_IoSeek = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        handle: OTF2_IoHandleRef,
        offsetRequest: i64,
        whence: OTF2_IoSeekOption,
        offsetResult: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_IoChangeStatusFlags = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        handle: OTF2_IoHandleRef,
        statusFlags: OTF2_IoStatusFlag,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_IoDeleteFile = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        ioParadigm: OTF2_IoParadigmRef,
        file: OTF2_IoFileRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_IoOperationBegin = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        handle: OTF2_IoHandleRef,
        mode: OTF2_IoOperationMode,
        operationFlags: OTF2_IoOperationFlag,
        bytesRequest: u64,
        matchingId: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_IoOperationTest = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        handle: OTF2_IoHandleRef,
        matchingId: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_IoOperationIssued = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        handle: OTF2_IoHandleRef,
        matchingId: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_IoOperationComplete = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        handle: OTF2_IoHandleRef,
        bytesResult: u64,
        matchingId: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_IoOperationCancelled = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        handle: OTF2_IoHandleRef,
        matchingId: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_IoAcquireLock = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        handle: OTF2_IoHandleRef,
        lockType: OTF2_LockType,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_IoReleaseLock = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        handle: OTF2_IoHandleRef,
        lockType: OTF2_LockType,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_IoTryLock = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        handle: OTF2_IoHandleRef,
        lockType: OTF2_LockType,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_ProgramBegin = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        programName: OTF2_StringRef,
        numberOfArguments: u32,
        programArguments: *const OTF2_StringRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_ProgramEnd = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        exitStatus: i64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_NonBlockingCollectiveRequest = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        requestID: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_NonBlockingCollectiveComplete = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        collectiveOp: OTF2_CollectiveOp,
        communicator: OTF2_CommRef,
        root: u32,
        sizeSent: u64,
        sizeReceived: u64,
        requestID: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_CommCreate = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        communicator: OTF2_CommRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_EvtReaderCallback_CommDestroy = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        eventPosition: u64,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        communicator: OTF2_CommRef,
    ) -> OTF2_CallbackCode,
>;
#[repr(C)]
#[derive(Debug)]
pub struct OTF2_SnapWriter_struct {
    _unused: [u8; 0],
}
pub type OTF2_SnapWriter = OTF2_SnapWriter_struct;
#[repr(C)]
#[derive(Debug)]
pub struct OTF2_SnapReaderCallbacks_struct {
    _unused: [u8; 0],
}
pub type OTF2_SnapReaderCallbacks = OTF2_SnapReaderCallbacks_struct;
pub type OTF2_SnapReaderCallback_Unknown = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_SnapReaderCallback_SnapshotStart = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        numberOfRecords: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_SnapReaderCallback_SnapshotEnd = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        contReadPos: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_SnapReaderCallback_MeasurementOnOff = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        origEventTime: OTF2_TimeStamp,
        measurementMode: OTF2_MeasurementMode,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_SnapReaderCallback_Enter = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        origEventTime: OTF2_TimeStamp,
        region: OTF2_RegionRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_SnapReaderCallback_MpiSend = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        origEventTime: OTF2_TimeStamp,
        receiver: u32,
        communicator: OTF2_CommRef,
        msgTag: u32,
        msgLength: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_SnapReaderCallback_MpiIsend = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        origEventTime: OTF2_TimeStamp,
        receiver: u32,
        communicator: OTF2_CommRef,
        msgTag: u32,
        msgLength: u64,
        requestID: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_SnapReaderCallback_MpiIsendComplete = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        origEventTime: OTF2_TimeStamp,
        requestID: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_SnapReaderCallback_MpiRecv = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        origEventTime: OTF2_TimeStamp,
        sender: u32,
        communicator: OTF2_CommRef,
        msgTag: u32,
        msgLength: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_SnapReaderCallback_MpiIrecvRequest = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        origEventTime: OTF2_TimeStamp,
        requestID: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_SnapReaderCallback_MpiIrecv = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        origEventTime: OTF2_TimeStamp,
        sender: u32,
        communicator: OTF2_CommRef,
        msgTag: u32,
        msgLength: u64,
        requestID: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_SnapReaderCallback_MpiCollectiveBegin = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        origEventTime: OTF2_TimeStamp,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_SnapReaderCallback_MpiCollectiveEnd = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        origEventTime: OTF2_TimeStamp,
        collectiveOp: OTF2_CollectiveOp,
        communicator: OTF2_CommRef,
        root: u32,
        sizeSent: u64,
        sizeReceived: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_SnapReaderCallback_OmpFork = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        origEventTime: OTF2_TimeStamp,
        numberOfRequestedThreads: u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_SnapReaderCallback_OmpAcquireLock = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        origEventTime: OTF2_TimeStamp,
        lockID: u32,
        acquisitionOrder: u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_SnapReaderCallback_OmpTaskCreate = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        origEventTime: OTF2_TimeStamp,
        taskID: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_SnapReaderCallback_OmpTaskSwitch = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        origEventTime: OTF2_TimeStamp,
        taskID: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_SnapReaderCallback_Metric = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        origEventTime: OTF2_TimeStamp,
        metric: OTF2_MetricRef,
        numberOfMetrics: u8,
        typeIDs: *const OTF2_Type,
        metricValues: *const OTF2_MetricValue,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_SnapReaderCallback_ParameterString = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        origEventTime: OTF2_TimeStamp,
        parameter: OTF2_ParameterRef,
        string: OTF2_StringRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_SnapReaderCallback_ParameterInt = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        origEventTime: OTF2_TimeStamp,
        parameter: OTF2_ParameterRef,
        value: i64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_SnapReaderCallback_ParameterUnsignedInt = ::core::option::Option<
    unsafe extern "C" fn(
        location: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        origEventTime: OTF2_TimeStamp,
        parameter: OTF2_ParameterRef,
        value: u64,
    ) -> OTF2_CallbackCode,
>;
#[repr(C)]
#[derive(Debug)]
pub struct OTF2_GlobalDefWriter_struct {
    _unused: [u8; 0],
}
pub type OTF2_GlobalDefWriter = OTF2_GlobalDefWriter_struct;
#[repr(C)]
#[derive(Debug)]
pub struct OTF2_GlobalDefReaderCallbacks_struct {
    _unused: [u8; 0],
}
pub type OTF2_GlobalDefReaderCallbacks = OTF2_GlobalDefReaderCallbacks_struct;
pub type OTF2_GlobalDefReaderCallback_Unknown = ::core::option::Option<
    unsafe extern "C" fn(userData: *mut ::core::ffi::c_void) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_ClockProperties = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        timerResolution: u64,
        globalOffset: u64,
        traceLength: u64,
        realtimeTimestamp: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_Paradigm = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        paradigm: OTF2_Paradigm,
        name: OTF2_StringRef,
        paradigmClass: OTF2_ParadigmClass,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_ParadigmProperty = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        paradigm: OTF2_Paradigm,
        property: OTF2_ParadigmProperty,
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_IoParadigm = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_IoParadigmRef,
        identification: OTF2_StringRef,
        name: OTF2_StringRef,
        ioParadigmClass: OTF2_IoParadigmClass,
        ioParadigmFlags: OTF2_IoParadigmFlag,
        numberOfProperties: u8,
        properties: *const OTF2_IoParadigmProperty,
        types: *const OTF2_Type,
        values: *const OTF2_AttributeValue,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_String = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_StringRef,
        string: *const ::core::ffi::c_char,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_Attribute = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_AttributeRef,
        name: OTF2_StringRef,
        description: OTF2_StringRef,
        type_: OTF2_Type,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_SystemTreeNode = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_SystemTreeNodeRef,
        name: OTF2_StringRef,
        className: OTF2_StringRef,
        parent: OTF2_SystemTreeNodeRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_LocationGroup = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_LocationGroupRef,
        name: OTF2_StringRef,
        locationGroupType: OTF2_LocationGroupType,
        systemTreeParent: OTF2_SystemTreeNodeRef,
        creatingLocationGroup: OTF2_LocationGroupRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_Location = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_LocationRef,
        name: OTF2_StringRef,
        locationType: OTF2_LocationType,
        numberOfEvents: u64,
        locationGroup: OTF2_LocationGroupRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_Region = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_RegionRef,
        name: OTF2_StringRef,
        canonicalName: OTF2_StringRef,
        description: OTF2_StringRef,
        regionRole: OTF2_RegionRole,
        paradigm: OTF2_Paradigm,
        regionFlags: OTF2_RegionFlag,
        sourceFile: OTF2_StringRef,
        beginLineNumber: u32,
        endLineNumber: u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_Callsite = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_CallsiteRef,
        sourceFile: OTF2_StringRef,
        lineNumber: u32,
        enteredRegion: OTF2_RegionRef,
        leftRegion: OTF2_RegionRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_Callpath = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_CallpathRef,
        parent: OTF2_CallpathRef,
        region: OTF2_RegionRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_Group = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_GroupRef,
        name: OTF2_StringRef,
        groupType: OTF2_GroupType,
        paradigm: OTF2_Paradigm,
        groupFlags: OTF2_GroupFlag,
        numberOfMembers: u32,
        members: *const u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_MetricMember = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_MetricMemberRef,
        name: OTF2_StringRef,
        description: OTF2_StringRef,
        metricType: OTF2_MetricType,
        metricMode: OTF2_MetricMode,
        valueType: OTF2_Type,
        base: OTF2_Base,
        exponent: i64,
        unit: OTF2_StringRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_MetricClass = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_MetricRef,
        numberOfMetrics: u8,
        metricMembers: *const OTF2_MetricMemberRef,
        metricOccurrence: OTF2_MetricOccurrence,
        recorderKind: OTF2_RecorderKind,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_MetricInstance = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_MetricRef,
        metricClass: OTF2_MetricRef,
        recorder: OTF2_LocationRef,
        metricScope: OTF2_MetricScope,
        scope: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_Comm = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_CommRef,
        name: OTF2_StringRef,
        group: OTF2_GroupRef,
        parent: OTF2_CommRef,
        flags: OTF2_CommFlag,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_Parameter = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_ParameterRef,
        name: OTF2_StringRef,
        parameterType: OTF2_ParameterType,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_RmaWin = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_RmaWinRef,
        name: OTF2_StringRef,
        comm: OTF2_CommRef,
        flags: OTF2_RmaWinFlag,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_MetricClassRecorder = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        metric: OTF2_MetricRef,
        recorder: OTF2_LocationRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_SystemTreeNodeProperty = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        systemTreeNode: OTF2_SystemTreeNodeRef,
        name: OTF2_StringRef,
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_SystemTreeNodeDomain = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        systemTreeNode: OTF2_SystemTreeNodeRef,
        systemTreeDomain: OTF2_SystemTreeDomain,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_LocationGroupProperty = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        locationGroup: OTF2_LocationGroupRef,
        name: OTF2_StringRef,
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_LocationProperty = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        location: OTF2_LocationRef,
        name: OTF2_StringRef,
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_CartDimension = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_CartDimensionRef,
        name: OTF2_StringRef,
        size: u32,
        cartPeriodicity: OTF2_CartPeriodicity,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_CartTopology = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_CartTopologyRef,
        name: OTF2_StringRef,
        communicator: OTF2_CommRef,
        numberOfDimensions: u8,
        cartDimensions: *const OTF2_CartDimensionRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_CartCoordinate = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        cartTopology: OTF2_CartTopologyRef,
        rank: u32,
        numberOfDimensions: u8,
        coordinates: *const u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_SourceCodeLocation = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_SourceCodeLocationRef,
        file: OTF2_StringRef,
        lineNumber: u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_CallingContext = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_CallingContextRef,
        region: OTF2_RegionRef,
        sourceCodeLocation: OTF2_SourceCodeLocationRef,
        parent: OTF2_CallingContextRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_CallingContextProperty = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        callingContext: OTF2_CallingContextRef,
        name: OTF2_StringRef,
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_InterruptGenerator = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_InterruptGeneratorRef,
        name: OTF2_StringRef,
        interruptGeneratorMode: OTF2_InterruptGeneratorMode,
        base: OTF2_Base,
        exponent: i64,
        period: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_IoFileProperty = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        ioFile: OTF2_IoFileRef,
        name: OTF2_StringRef,
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_IoRegularFile = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_IoFileRef,
        name: OTF2_StringRef,
        scope: OTF2_SystemTreeNodeRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_IoDirectory = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_IoFileRef,
        name: OTF2_StringRef,
        scope: OTF2_SystemTreeNodeRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_IoHandle = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_IoHandleRef,
        name: OTF2_StringRef,
        file: OTF2_IoFileRef,
        ioParadigm: OTF2_IoParadigmRef,
        ioHandleFlags: OTF2_IoHandleFlag,
        comm: OTF2_CommRef,
        parent: OTF2_IoHandleRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_IoPreCreatedHandleState = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        ioHandle: OTF2_IoHandleRef,
        mode: OTF2_IoAccessMode,
        statusFlags: OTF2_IoStatusFlag,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_CallpathParameter = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        callpath: OTF2_CallpathRef,
        parameter: OTF2_ParameterRef,
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalDefReaderCallback_InterComm = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_CommRef,
        name: OTF2_StringRef,
        groupA: OTF2_GroupRef,
        groupB: OTF2_GroupRef,
        commonCommunicator: OTF2_CommRef,
        flags: OTF2_CommFlag,
    ) -> OTF2_CallbackCode,
>;
#[repr(C)]
#[derive(Debug)]
pub struct OTF2_GlobalEvtReaderCallbacks_struct {
    _unused: [u8; 0],
}
pub type OTF2_GlobalEvtReaderCallbacks = OTF2_GlobalEvtReaderCallbacks_struct;
pub type OTF2_GlobalEvtReaderCallback_Unknown = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_BufferFlush = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        stopTime: OTF2_TimeStamp,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_MeasurementOnOff = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        measurementMode: OTF2_MeasurementMode,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_Enter = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        region: OTF2_RegionRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_Leave = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        region: OTF2_RegionRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_MpiSend = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        receiver: u32,
        communicator: OTF2_CommRef,
        msgTag: u32,
        msgLength: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_MpiIsend = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        receiver: u32,
        communicator: OTF2_CommRef,
        msgTag: u32,
        msgLength: u64,
        requestID: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_MpiIsendComplete = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        requestID: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_MpiIrecvRequest = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        requestID: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_MpiRecv = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        sender: u32,
        communicator: OTF2_CommRef,
        msgTag: u32,
        msgLength: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_MpiIrecv = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        sender: u32,
        communicator: OTF2_CommRef,
        msgTag: u32,
        msgLength: u64,
        requestID: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_MpiRequestTest = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        requestID: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_MpiRequestCancelled = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        requestID: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_MpiCollectiveBegin = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_MpiCollectiveEnd = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        collectiveOp: OTF2_CollectiveOp,
        communicator: OTF2_CommRef,
        root: u32,
        sizeSent: u64,
        sizeReceived: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_OmpFork = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        numberOfRequestedThreads: u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_OmpJoin = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_OmpAcquireLock = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        lockID: u32,
        acquisitionOrder: u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_OmpReleaseLock = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        lockID: u32,
        acquisitionOrder: u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_OmpTaskCreate = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        taskID: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_OmpTaskSwitch = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        taskID: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_OmpTaskComplete = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        taskID: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_Metric = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        metric: OTF2_MetricRef,
        numberOfMetrics: u8,
        typeIDs: *const OTF2_Type,
        metricValues: *const OTF2_MetricValue,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_ParameterString = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        parameter: OTF2_ParameterRef,
        string: OTF2_StringRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_ParameterInt = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        parameter: OTF2_ParameterRef,
        value: i64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_ParameterUnsignedInt = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        parameter: OTF2_ParameterRef,
        value: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_RmaWinCreate = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        win: OTF2_RmaWinRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_RmaWinDestroy = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        win: OTF2_RmaWinRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_RmaCollectiveBegin = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_RmaCollectiveEnd = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        collectiveOp: OTF2_CollectiveOp,
        syncLevel: OTF2_RmaSyncLevel,
        win: OTF2_RmaWinRef,
        root: u32,
        bytesSent: u64,
        bytesReceived: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_RmaGroupSync = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        syncLevel: OTF2_RmaSyncLevel,
        win: OTF2_RmaWinRef,
        group: OTF2_GroupRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_RmaRequestLock = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        win: OTF2_RmaWinRef,
        remote: u32,
        lockId: u64,
        lockType: OTF2_LockType,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_RmaAcquireLock = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        win: OTF2_RmaWinRef,
        remote: u32,
        lockId: u64,
        lockType: OTF2_LockType,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_RmaTryLock = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        win: OTF2_RmaWinRef,
        remote: u32,
        lockId: u64,
        lockType: OTF2_LockType,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_RmaReleaseLock = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        win: OTF2_RmaWinRef,
        remote: u32,
        lockId: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_RmaSync = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        win: OTF2_RmaWinRef,
        remote: u32,
        syncType: OTF2_RmaSyncType,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_RmaWaitChange = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        win: OTF2_RmaWinRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_RmaPut = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        win: OTF2_RmaWinRef,
        remote: u32,
        bytes: u64,
        matchingId: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_RmaGet = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        win: OTF2_RmaWinRef,
        remote: u32,
        bytes: u64,
        matchingId: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_RmaAtomic = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        win: OTF2_RmaWinRef,
        remote: u32,
        type_: OTF2_RmaAtomicType,
        bytesSent: u64,
        bytesReceived: u64,
        matchingId: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_RmaOpCompleteBlocking = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        win: OTF2_RmaWinRef,
        matchingId: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_RmaOpCompleteNonBlocking = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        win: OTF2_RmaWinRef,
        matchingId: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_RmaOpTest = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        win: OTF2_RmaWinRef,
        matchingId: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_RmaOpCompleteRemote = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        win: OTF2_RmaWinRef,
        matchingId: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_ThreadFork = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        model: OTF2_Paradigm,
        numberOfRequestedThreads: u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_ThreadJoin = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        model: OTF2_Paradigm,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_ThreadTeamBegin = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        threadTeam: OTF2_CommRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_ThreadTeamEnd = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        threadTeam: OTF2_CommRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_ThreadAcquireLock = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        model: OTF2_Paradigm,
        lockID: u32,
        acquisitionOrder: u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_ThreadReleaseLock = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        model: OTF2_Paradigm,
        lockID: u32,
        acquisitionOrder: u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_ThreadTaskCreate = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        threadTeam: OTF2_CommRef,
        creatingThread: u32,
        generationNumber: u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_ThreadTaskSwitch = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        threadTeam: OTF2_CommRef,
        creatingThread: u32,
        generationNumber: u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_ThreadTaskComplete = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        threadTeam: OTF2_CommRef,
        creatingThread: u32,
        generationNumber: u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_ThreadCreate = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        threadContingent: OTF2_CommRef,
        sequenceCount: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_ThreadBegin = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        threadContingent: OTF2_CommRef,
        sequenceCount: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_ThreadWait = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        threadContingent: OTF2_CommRef,
        sequenceCount: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_ThreadEnd = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        threadContingent: OTF2_CommRef,
        sequenceCount: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_CallingContextEnter = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        callingContext: OTF2_CallingContextRef,
        unwindDistance: u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_CallingContextLeave = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        callingContext: OTF2_CallingContextRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_CallingContextSample = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        callingContext: OTF2_CallingContextRef,
        unwindDistance: u32,
        interruptGenerator: OTF2_InterruptGeneratorRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_IoCreateHandle = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        handle: OTF2_IoHandleRef,
        mode: OTF2_IoAccessMode,
        creationFlags: OTF2_IoCreationFlag,
        statusFlags: OTF2_IoStatusFlag,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_IoDestroyHandle = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        handle: OTF2_IoHandleRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_IoDuplicateHandle = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        oldHandle: OTF2_IoHandleRef,
        newHandle: OTF2_IoHandleRef,
        statusFlags: OTF2_IoStatusFlag,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_IoSeek = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        handle: OTF2_IoHandleRef,
        offsetRequest: i64,
        whence: OTF2_IoSeekOption,
        offsetResult: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_IoChangeStatusFlags = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        handle: OTF2_IoHandleRef,
        statusFlags: OTF2_IoStatusFlag,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_IoDeleteFile = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        ioParadigm: OTF2_IoParadigmRef,
        file: OTF2_IoFileRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_IoOperationBegin = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        handle: OTF2_IoHandleRef,
        mode: OTF2_IoOperationMode,
        operationFlags: OTF2_IoOperationFlag,
        bytesRequest: u64,
        matchingId: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_IoOperationTest = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        handle: OTF2_IoHandleRef,
        matchingId: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_IoOperationIssued = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        handle: OTF2_IoHandleRef,
        matchingId: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_IoOperationComplete = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        handle: OTF2_IoHandleRef,
        bytesResult: u64,
        matchingId: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_IoOperationCancelled = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        handle: OTF2_IoHandleRef,
        matchingId: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_IoAcquireLock = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        handle: OTF2_IoHandleRef,
        lockType: OTF2_LockType,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_IoReleaseLock = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        handle: OTF2_IoHandleRef,
        lockType: OTF2_LockType,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_IoTryLock = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        handle: OTF2_IoHandleRef,
        lockType: OTF2_LockType,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_ProgramBegin = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        programName: OTF2_StringRef,
        numberOfArguments: u32,
        programArguments: *const OTF2_StringRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_ProgramEnd = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        exitStatus: i64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_NonBlockingCollectiveRequest = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        requestID: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_NonBlockingCollectiveComplete = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        collectiveOp: OTF2_CollectiveOp,
        communicator: OTF2_CommRef,
        root: u32,
        sizeSent: u64,
        sizeReceived: u64,
        requestID: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_CommCreate = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        communicator: OTF2_CommRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalEvtReaderCallback_CommDestroy = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        time: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        communicator: OTF2_CommRef,
    ) -> OTF2_CallbackCode,
>;
#[repr(C)]
#[derive(Debug)]
pub struct OTF2_GlobalSnapReaderCallbacks_struct {
    _unused: [u8; 0],
}
pub type OTF2_GlobalSnapReaderCallbacks = OTF2_GlobalSnapReaderCallbacks_struct;
pub type OTF2_GlobalSnapReaderCallback_Unknown = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalSnapReaderCallback_SnapshotStart = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        numberOfRecords: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalSnapReaderCallback_SnapshotEnd = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        contReadPos: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalSnapReaderCallback_MeasurementOnOff = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        origEventTime: OTF2_TimeStamp,
        measurementMode: OTF2_MeasurementMode,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalSnapReaderCallback_Enter = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        origEventTime: OTF2_TimeStamp,
        region: OTF2_RegionRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalSnapReaderCallback_MpiSend = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        origEventTime: OTF2_TimeStamp,
        receiver: u32,
        communicator: OTF2_CommRef,
        msgTag: u32,
        msgLength: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalSnapReaderCallback_MpiIsend = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        origEventTime: OTF2_TimeStamp,
        receiver: u32,
        communicator: OTF2_CommRef,
        msgTag: u32,
        msgLength: u64,
        requestID: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalSnapReaderCallback_MpiIsendComplete = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        origEventTime: OTF2_TimeStamp,
        requestID: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalSnapReaderCallback_MpiRecv = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        origEventTime: OTF2_TimeStamp,
        sender: u32,
        communicator: OTF2_CommRef,
        msgTag: u32,
        msgLength: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalSnapReaderCallback_MpiIrecvRequest = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        origEventTime: OTF2_TimeStamp,
        requestID: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalSnapReaderCallback_MpiIrecv = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        origEventTime: OTF2_TimeStamp,
        sender: u32,
        communicator: OTF2_CommRef,
        msgTag: u32,
        msgLength: u64,
        requestID: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalSnapReaderCallback_MpiCollectiveBegin = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        origEventTime: OTF2_TimeStamp,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalSnapReaderCallback_MpiCollectiveEnd = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        origEventTime: OTF2_TimeStamp,
        collectiveOp: OTF2_CollectiveOp,
        communicator: OTF2_CommRef,
        root: u32,
        sizeSent: u64,
        sizeReceived: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalSnapReaderCallback_OmpFork = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        origEventTime: OTF2_TimeStamp,
        numberOfRequestedThreads: u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalSnapReaderCallback_OmpAcquireLock = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        origEventTime: OTF2_TimeStamp,
        lockID: u32,
        acquisitionOrder: u32,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalSnapReaderCallback_OmpTaskCreate = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        origEventTime: OTF2_TimeStamp,
        taskID: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalSnapReaderCallback_OmpTaskSwitch = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        origEventTime: OTF2_TimeStamp,
        taskID: u64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalSnapReaderCallback_Metric = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        origEventTime: OTF2_TimeStamp,
        metric: OTF2_MetricRef,
        numberOfMetrics: u8,
        typeIDs: *const OTF2_Type,
        metricValues: *const OTF2_MetricValue,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalSnapReaderCallback_ParameterString = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        origEventTime: OTF2_TimeStamp,
        parameter: OTF2_ParameterRef,
        string: OTF2_StringRef,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalSnapReaderCallback_ParameterInt = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        origEventTime: OTF2_TimeStamp,
        parameter: OTF2_ParameterRef,
        value: i64,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_GlobalSnapReaderCallback_ParameterUnsignedInt = ::core::option::Option<
    unsafe extern "C" fn(
        locationID: OTF2_LocationRef,
        snapTime: OTF2_TimeStamp,
        userData: *mut ::core::ffi::c_void,
        attributeList: *mut OTF2_AttributeList,
        origEventTime: OTF2_TimeStamp,
        parameter: OTF2_ParameterRef,
        value: u64,
    ) -> OTF2_CallbackCode,
>;
#[repr(C)]
#[derive(Debug)]
pub struct OTF2_ThumbWriter_struct {
    _unused: [u8; 0],
}
pub type OTF2_ThumbWriter = OTF2_ThumbWriter_struct;
#[repr(C)]
#[derive(Debug)]
pub struct OTF2_ThumbReader_struct {
    _unused: [u8; 0],
}
pub type OTF2_ThumbReader = OTF2_ThumbReader_struct;
pub type OTF2_MarkerRef = u32;
pub type OTF2_MarkerSeverity = u8;
pub const OTF2_MarkerSeverity_enum_OTF2_SEVERITY_NONE: OTF2_MarkerSeverity_enum = 0;
pub const OTF2_MarkerSeverity_enum_OTF2_SEVERITY_LOW: OTF2_MarkerSeverity_enum = 1;
pub const OTF2_MarkerSeverity_enum_OTF2_SEVERITY_MEDIUM: OTF2_MarkerSeverity_enum = 2;
pub const OTF2_MarkerSeverity_enum_OTF2_SEVERITY_HIGH: OTF2_MarkerSeverity_enum = 3;
pub type OTF2_MarkerSeverity_enum = ::core::ffi::c_uint;
pub type OTF2_MarkerScope = u8;
pub const OTF2_MarkerScope_enum_OTF2_MARKER_SCOPE_GLOBAL: OTF2_MarkerScope_enum = 0;
pub const OTF2_MarkerScope_enum_OTF2_MARKER_SCOPE_LOCATION: OTF2_MarkerScope_enum = 1;
pub const OTF2_MarkerScope_enum_OTF2_MARKER_SCOPE_LOCATION_GROUP: OTF2_MarkerScope_enum = 2;
pub const OTF2_MarkerScope_enum_OTF2_MARKER_SCOPE_SYSTEM_TREE_NODE: OTF2_MarkerScope_enum = 3;
pub const OTF2_MarkerScope_enum_OTF2_MARKER_SCOPE_GROUP: OTF2_MarkerScope_enum = 4;
pub const OTF2_MarkerScope_enum_OTF2_MARKER_SCOPE_COMM: OTF2_MarkerScope_enum = 5;
pub type OTF2_MarkerScope_enum = ::core::ffi::c_uint;
#[repr(C)]
#[derive(Debug)]
pub struct OTF2_MarkerWriter_struct {
    _unused: [u8; 0],
}
pub type OTF2_MarkerWriter = OTF2_MarkerWriter_struct;
#[repr(C)]
#[derive(Debug)]
pub struct OTF2_MarkerReaderCallbacks_struct {
    _unused: [u8; 0],
}
pub type OTF2_MarkerReaderCallbacks = OTF2_MarkerReaderCallbacks_struct;
pub type OTF2_MarkerReaderCallback_Unknown = ::core::option::Option<
    unsafe extern "C" fn(userData: *mut ::core::ffi::c_void) -> OTF2_CallbackCode,
>;
pub type OTF2_MarkerReaderCallback_DefMarker = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        self_: OTF2_MarkerRef,
        markerGroup: *const ::core::ffi::c_char,
        markerCategory: *const ::core::ffi::c_char,
        severity: OTF2_MarkerSeverity,
    ) -> OTF2_CallbackCode,
>;
pub type OTF2_MarkerReaderCallback_Marker = ::core::option::Option<
    unsafe extern "C" fn(
        userData: *mut ::core::ffi::c_void,
        timestamp: OTF2_TimeStamp,
        duration: OTF2_TimeStamp,
        marker: OTF2_MarkerRef,
        scope: OTF2_MarkerScope,
        scopeRef: u64,
        text: *const ::core::ffi::c_char,
    ) -> OTF2_CallbackCode,
>;
#[repr(C)]
#[derive(Debug)]
pub struct OTF2_Archive_struct {
    _unused: [u8; 0],
}
pub type OTF2_Archive = OTF2_Archive_struct;
#[repr(C)]
#[derive(Debug)]
pub struct OTF2_Reader_struct {
    _unused: [u8; 0],
}
pub type OTF2_Reader = OTF2_Reader_struct;
pub type __builtin_va_list = [__va_list_tag; 1usize];
#[repr(C)]
#[derive(Debug, Copy, Clone)]
pub struct __va_list_tag {
    pub gp_offset: ::core::ffi::c_uint,
    pub fp_offset: ::core::ffi::c_uint,
    pub overflow_arg_area: *mut ::core::ffi::c_void,
    pub reg_save_area: *mut ::core::ffi::c_void,
}
unsafe extern "C" {
    pub fn vsnprintf(
        __s: *mut ::core::ffi::c_char,
        __maxlen: ::core::ffi::c_ulong,
        __format: *const ::core::ffi::c_char,
        __arg: *mut __va_list_tag,
    ) -> ::core::ffi::c_int;
    pub fn free(__ptr: *mut ::core::ffi::c_void);
    pub fn OTF2_Error_GetName(errorCode: OTF2_ErrorCode) -> *const ::core::ffi::c_char;
    pub fn OTF2_Error_GetDescription(
        errorCode: OTF2_ErrorCode,
    ) -> *const ::core::ffi::c_char;
    pub fn OTF2_Error_RegisterCallback(
        errorCallbackIn: OTF2_ErrorCallback,
        userData: *mut ::core::ffi::c_void,
    ) -> OTF2_ErrorCallback;
    pub fn OTF2_AttributeValue_SetBoolean(
        enumValue: OTF2_Boolean,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetFileType(
        enumValue: OTF2_FileType,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetFileSubstrate(
        enumValue: OTF2_FileSubstrate,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetMappingType(
        enumValue: OTF2_MappingType,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetType(
        enumValue: OTF2_Type,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetParadigm(
        enumValue: OTF2_Paradigm,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetParadigmClass(
        enumValue: OTF2_ParadigmClass,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetParadigmProperty(
        enumValue: OTF2_ParadigmProperty,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetThumbnailType(
        enumValue: OTF2_ThumbnailType,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetSystemTreeDomain(
        enumValue: OTF2_SystemTreeDomain,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetLocationGroupType(
        enumValue: OTF2_LocationGroupType,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetLocationType(
        enumValue: OTF2_LocationType,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetRegionRole(
        enumValue: OTF2_RegionRole,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetRegionFlag(
        enumValue: OTF2_RegionFlag,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetGroupType(
        enumValue: OTF2_GroupType,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetGroupFlag(
        enumValue: OTF2_GroupFlag,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetBase(
        enumValue: OTF2_Base,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetMetricOccurrence(
        enumValue: OTF2_MetricOccurrence,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetMetricType(
        enumValue: OTF2_MetricType,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetMetricValueProperty(
        enumValue: OTF2_MetricValueProperty,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetMetricTiming(
        enumValue: OTF2_MetricTiming,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetMetricMode(
        enumValue: OTF2_MetricMode,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetMetricScope(
        enumValue: OTF2_MetricScope,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetRecorderKind(
        enumValue: OTF2_RecorderKind,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetParameterType(
        enumValue: OTF2_ParameterType,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetCartPeriodicity(
        enumValue: OTF2_CartPeriodicity,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetInterruptGeneratorMode(
        enumValue: OTF2_InterruptGeneratorMode,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetMeasurementMode(
        enumValue: OTF2_MeasurementMode,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetCollectiveOp(
        enumValue: OTF2_CollectiveOp,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetRmaSyncType(
        enumValue: OTF2_RmaSyncType,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetRmaSyncLevel(
        enumValue: OTF2_RmaSyncLevel,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetLockType(
        enumValue: OTF2_LockType,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetRmaAtomicType(
        enumValue: OTF2_RmaAtomicType,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetIoParadigmClass(
        enumValue: OTF2_IoParadigmClass,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetIoParadigmFlag(
        enumValue: OTF2_IoParadigmFlag,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetIoParadigmProperty(
        enumValue: OTF2_IoParadigmProperty,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetIoHandleFlag(
        enumValue: OTF2_IoHandleFlag,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetIoAccessMode(
        enumValue: OTF2_IoAccessMode,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetIoCreationFlag(
        enumValue: OTF2_IoCreationFlag,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetIoStatusFlag(
        enumValue: OTF2_IoStatusFlag,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetIoSeekOption(
        enumValue: OTF2_IoSeekOption,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetIoOperationMode(
        enumValue: OTF2_IoOperationMode,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetIoOperationFlag(
        enumValue: OTF2_IoOperationFlag,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetCommFlag(
        enumValue: OTF2_CommFlag,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetRmaWinFlag(
        enumValue: OTF2_RmaWinFlag,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_SetCollectiveRoot(
        enumValue: OTF2_CollectiveRoot,
        type_: *mut OTF2_Type,
        value: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetBoolean(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_Boolean,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetFileType(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_FileType,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetFileSubstrate(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_FileSubstrate,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetMappingType(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_MappingType,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetType(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_Type,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetParadigm(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_Paradigm,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetParadigmClass(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_ParadigmClass,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetParadigmProperty(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_ParadigmProperty,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetThumbnailType(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_ThumbnailType,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetSystemTreeDomain(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_SystemTreeDomain,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetLocationGroupType(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_LocationGroupType,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetLocationType(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_LocationType,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetRegionRole(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_RegionRole,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetRegionFlag(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_RegionFlag,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetGroupType(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_GroupType,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetGroupFlag(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_GroupFlag,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetBase(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_Base,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetMetricOccurrence(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_MetricOccurrence,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetMetricType(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_MetricType,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetMetricValueProperty(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_MetricValueProperty,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetMetricTiming(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_MetricTiming,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetMetricMode(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_MetricMode,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetMetricScope(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_MetricScope,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetRecorderKind(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_RecorderKind,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetParameterType(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_ParameterType,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetCartPeriodicity(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_CartPeriodicity,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetInterruptGeneratorMode(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_InterruptGeneratorMode,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetMeasurementMode(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_MeasurementMode,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetCollectiveOp(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_CollectiveOp,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetRmaSyncType(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_RmaSyncType,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetRmaSyncLevel(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_RmaSyncLevel,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetLockType(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_LockType,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetRmaAtomicType(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_RmaAtomicType,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetIoParadigmClass(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_IoParadigmClass,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetIoParadigmFlag(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_IoParadigmFlag,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetIoParadigmProperty(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_IoParadigmProperty,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetIoHandleFlag(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_IoHandleFlag,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetIoAccessMode(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_IoAccessMode,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetIoCreationFlag(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_IoCreationFlag,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetIoStatusFlag(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_IoStatusFlag,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetIoSeekOption(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_IoSeekOption,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetIoOperationMode(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_IoOperationMode,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetIoOperationFlag(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_IoOperationFlag,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetCommFlag(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_CommFlag,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetRmaWinFlag(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_RmaWinFlag,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeValue_GetCollectiveRoot(
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
        enumValue: *mut OTF2_CollectiveRoot,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_IdMap_Create(mode: OTF2_IdMapMode, capacity: u64) -> *mut OTF2_IdMap;
    pub fn OTF2_IdMap_CreateFromUint64Array(
        length: u64,
        mappings: *const u64,
        optimizeSize: bool,
    ) -> *mut OTF2_IdMap;
    pub fn OTF2_IdMap_CreateFromUint32Array(
        length: u64,
        mappings: *const u32,
        optimizeSize: bool,
    ) -> *mut OTF2_IdMap;
    pub fn OTF2_IdMap_Free(instance: *mut OTF2_IdMap);
    pub fn OTF2_IdMap_GetSize(
        instance: *const OTF2_IdMap,
        size: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_IdMap_GetMode(
        instance: *const OTF2_IdMap,
        mode: *mut OTF2_IdMapMode,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_IdMap_Clear(instance: *mut OTF2_IdMap) -> OTF2_ErrorCode;
    pub fn OTF2_IdMap_AddIdPair(
        instance: *mut OTF2_IdMap,
        localId: u64,
        globalId: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_IdMap_GetGlobalId(
        instance: *const OTF2_IdMap,
        localId: u64,
        globalId: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_IdMap_GetGlobalIdSave(
        instance: *const OTF2_IdMap,
        localId: u64,
        globalId: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_IdMap_Traverse(
        instance: *const OTF2_IdMap,
        callback: OTF2_IdMap_TraverseCallback,
        userData: *mut ::core::ffi::c_void,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefWriter_GetLocationID(
        writer: *const OTF2_DefWriter,
        location: *mut OTF2_LocationRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefWriter_WriteMappingTable(
        writer: *mut OTF2_DefWriter,
        mappingType: OTF2_MappingType,
        idMap: *const OTF2_IdMap,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefWriter_WriteClockOffset(
        writer: *mut OTF2_DefWriter,
        time: OTF2_TimeStamp,
        offset: i64,
        standardDeviation: f64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefWriter_WriteString(
        writer: *mut OTF2_DefWriter,
        self_: OTF2_StringRef,
        string: *const ::core::ffi::c_char,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefWriter_WriteAttribute(
        writer: *mut OTF2_DefWriter,
        self_: OTF2_AttributeRef,
        name: OTF2_StringRef,
        description: OTF2_StringRef,
        type_: OTF2_Type,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefWriter_WriteSystemTreeNode(
        writer: *mut OTF2_DefWriter,
        self_: OTF2_SystemTreeNodeRef,
        name: OTF2_StringRef,
        className: OTF2_StringRef,
        parent: OTF2_SystemTreeNodeRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefWriter_WriteLocationGroup(
        writer: *mut OTF2_DefWriter,
        self_: OTF2_LocationGroupRef,
        name: OTF2_StringRef,
        locationGroupType: OTF2_LocationGroupType,
        systemTreeParent: OTF2_SystemTreeNodeRef,
        creatingLocationGroup: OTF2_LocationGroupRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefWriter_WriteLocation(
        writer: *mut OTF2_DefWriter,
        self_: OTF2_LocationRef,
        name: OTF2_StringRef,
        locationType: OTF2_LocationType,
        numberOfEvents: u64,
        locationGroup: OTF2_LocationGroupRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefWriter_WriteRegion(
        writer: *mut OTF2_DefWriter,
        self_: OTF2_RegionRef,
        name: OTF2_StringRef,
        canonicalName: OTF2_StringRef,
        description: OTF2_StringRef,
        regionRole: OTF2_RegionRole,
        paradigm: OTF2_Paradigm,
        regionFlags: OTF2_RegionFlag,
        sourceFile: OTF2_StringRef,
        beginLineNumber: u32,
        endLineNumber: u32,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefWriter_WriteCallsite(
        writer: *mut OTF2_DefWriter,
        self_: OTF2_CallsiteRef,
        sourceFile: OTF2_StringRef,
        lineNumber: u32,
        enteredRegion: OTF2_RegionRef,
        leftRegion: OTF2_RegionRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefWriter_WriteCallpath(
        writer: *mut OTF2_DefWriter,
        self_: OTF2_CallpathRef,
        parent: OTF2_CallpathRef,
        region: OTF2_RegionRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefWriter_WriteGroup(
        writer: *mut OTF2_DefWriter,
        self_: OTF2_GroupRef,
        name: OTF2_StringRef,
        groupType: OTF2_GroupType,
        paradigm: OTF2_Paradigm,
        groupFlags: OTF2_GroupFlag,
        numberOfMembers: u32,
        members: *const u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefWriter_WriteMetricMember(
        writer: *mut OTF2_DefWriter,
        self_: OTF2_MetricMemberRef,
        name: OTF2_StringRef,
        description: OTF2_StringRef,
        metricType: OTF2_MetricType,
        metricMode: OTF2_MetricMode,
        valueType: OTF2_Type,
        base: OTF2_Base,
        exponent: i64,
        unit: OTF2_StringRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefWriter_WriteMetricClass(
        writer: *mut OTF2_DefWriter,
        self_: OTF2_MetricRef,
        numberOfMetrics: u8,
        metricMembers: *const OTF2_MetricMemberRef,
        metricOccurrence: OTF2_MetricOccurrence,
        recorderKind: OTF2_RecorderKind,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefWriter_WriteMetricInstance(
        writer: *mut OTF2_DefWriter,
        self_: OTF2_MetricRef,
        metricClass: OTF2_MetricRef,
        recorder: OTF2_LocationRef,
        metricScope: OTF2_MetricScope,
        scope: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefWriter_WriteComm(
        writer: *mut OTF2_DefWriter,
        self_: OTF2_CommRef,
        name: OTF2_StringRef,
        group: OTF2_GroupRef,
        parent: OTF2_CommRef,
        flags: OTF2_CommFlag,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefWriter_WriteParameter(
        writer: *mut OTF2_DefWriter,
        self_: OTF2_ParameterRef,
        name: OTF2_StringRef,
        parameterType: OTF2_ParameterType,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefWriter_WriteRmaWin(
        writer: *mut OTF2_DefWriter,
        self_: OTF2_RmaWinRef,
        name: OTF2_StringRef,
        comm: OTF2_CommRef,
        flags: OTF2_RmaWinFlag,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefWriter_WriteMetricClassRecorder(
        writer: *mut OTF2_DefWriter,
        metric: OTF2_MetricRef,
        recorder: OTF2_LocationRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefWriter_WriteSystemTreeNodeProperty(
        writer: *mut OTF2_DefWriter,
        systemTreeNode: OTF2_SystemTreeNodeRef,
        name: OTF2_StringRef,
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefWriter_WriteSystemTreeNodeDomain(
        writer: *mut OTF2_DefWriter,
        systemTreeNode: OTF2_SystemTreeNodeRef,
        systemTreeDomain: OTF2_SystemTreeDomain,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefWriter_WriteLocationGroupProperty(
        writer: *mut OTF2_DefWriter,
        locationGroup: OTF2_LocationGroupRef,
        name: OTF2_StringRef,
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefWriter_WriteLocationProperty(
        writer: *mut OTF2_DefWriter,
        location: OTF2_LocationRef,
        name: OTF2_StringRef,
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefWriter_WriteCartDimension(
        writer: *mut OTF2_DefWriter,
        self_: OTF2_CartDimensionRef,
        name: OTF2_StringRef,
        size: u32,
        cartPeriodicity: OTF2_CartPeriodicity,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefWriter_WriteCartTopology(
        writer: *mut OTF2_DefWriter,
        self_: OTF2_CartTopologyRef,
        name: OTF2_StringRef,
        communicator: OTF2_CommRef,
        numberOfDimensions: u8,
        cartDimensions: *const OTF2_CartDimensionRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefWriter_WriteCartCoordinate(
        writer: *mut OTF2_DefWriter,
        cartTopology: OTF2_CartTopologyRef,
        rank: u32,
        numberOfDimensions: u8,
        coordinates: *const u32,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefWriter_WriteSourceCodeLocation(
        writer: *mut OTF2_DefWriter,
        self_: OTF2_SourceCodeLocationRef,
        file: OTF2_StringRef,
        lineNumber: u32,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefWriter_WriteCallingContext(
        writer: *mut OTF2_DefWriter,
        self_: OTF2_CallingContextRef,
        region: OTF2_RegionRef,
        sourceCodeLocation: OTF2_SourceCodeLocationRef,
        parent: OTF2_CallingContextRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefWriter_WriteCallingContextProperty(
        writer: *mut OTF2_DefWriter,
        callingContext: OTF2_CallingContextRef,
        name: OTF2_StringRef,
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefWriter_WriteInterruptGenerator(
        writer: *mut OTF2_DefWriter,
        self_: OTF2_InterruptGeneratorRef,
        name: OTF2_StringRef,
        interruptGeneratorMode: OTF2_InterruptGeneratorMode,
        base: OTF2_Base,
        exponent: i64,
        period: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefWriter_WriteIoFileProperty(
        writer: *mut OTF2_DefWriter,
        ioFile: OTF2_IoFileRef,
        name: OTF2_StringRef,
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefWriter_WriteIoRegularFile(
        writer: *mut OTF2_DefWriter,
        self_: OTF2_IoFileRef,
        name: OTF2_StringRef,
        scope: OTF2_SystemTreeNodeRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefWriter_WriteIoDirectory(
        writer: *mut OTF2_DefWriter,
        self_: OTF2_IoFileRef,
        name: OTF2_StringRef,
        scope: OTF2_SystemTreeNodeRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefWriter_WriteIoHandle(
        writer: *mut OTF2_DefWriter,
        self_: OTF2_IoHandleRef,
        name: OTF2_StringRef,
        file: OTF2_IoFileRef,
        ioParadigm: OTF2_IoParadigmRef,
        ioHandleFlags: OTF2_IoHandleFlag,
        comm: OTF2_CommRef,
        parent: OTF2_IoHandleRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefWriter_WriteIoPreCreatedHandleState(
        writer: *mut OTF2_DefWriter,
        ioHandle: OTF2_IoHandleRef,
        mode: OTF2_IoAccessMode,
        statusFlags: OTF2_IoStatusFlag,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefWriter_WriteCallpathParameter(
        writer: *mut OTF2_DefWriter,
        callpath: OTF2_CallpathRef,
        parameter: OTF2_ParameterRef,
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefWriter_WriteInterComm(
        writer: *mut OTF2_DefWriter,
        self_: OTF2_CommRef,
        name: OTF2_StringRef,
        groupA: OTF2_GroupRef,
        groupB: OTF2_GroupRef,
        commonCommunicator: OTF2_CommRef,
        flags: OTF2_CommFlag,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReaderCallbacks_New() -> *mut OTF2_DefReaderCallbacks;
    pub fn OTF2_DefReaderCallbacks_Delete(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
    );
    pub fn OTF2_DefReaderCallbacks_Clear(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
    );
    pub fn OTF2_DefReaderCallbacks_SetUnknownCallback(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
        unknownCallback: OTF2_DefReaderCallback_Unknown,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReaderCallbacks_SetMappingTableCallback(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
        mappingTableCallback: OTF2_DefReaderCallback_MappingTable,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReaderCallbacks_SetClockOffsetCallback(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
        clockOffsetCallback: OTF2_DefReaderCallback_ClockOffset,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReaderCallbacks_SetStringCallback(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
        stringCallback: OTF2_DefReaderCallback_String,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReaderCallbacks_SetAttributeCallback(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
        attributeCallback: OTF2_DefReaderCallback_Attribute,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReaderCallbacks_SetSystemTreeNodeCallback(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
        systemTreeNodeCallback: OTF2_DefReaderCallback_SystemTreeNode,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReaderCallbacks_SetLocationGroupCallback(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
        locationGroupCallback: OTF2_DefReaderCallback_LocationGroup,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReaderCallbacks_SetLocationCallback(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
        locationCallback: OTF2_DefReaderCallback_Location,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReaderCallbacks_SetRegionCallback(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
        regionCallback: OTF2_DefReaderCallback_Region,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReaderCallbacks_SetCallsiteCallback(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
        callsiteCallback: OTF2_DefReaderCallback_Callsite,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReaderCallbacks_SetCallpathCallback(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
        callpathCallback: OTF2_DefReaderCallback_Callpath,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReaderCallbacks_SetGroupCallback(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
        groupCallback: OTF2_DefReaderCallback_Group,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReaderCallbacks_SetMetricMemberCallback(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
        metricMemberCallback: OTF2_DefReaderCallback_MetricMember,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReaderCallbacks_SetMetricClassCallback(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
        metricClassCallback: OTF2_DefReaderCallback_MetricClass,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReaderCallbacks_SetMetricInstanceCallback(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
        metricInstanceCallback: OTF2_DefReaderCallback_MetricInstance,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReaderCallbacks_SetCommCallback(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
        commCallback: OTF2_DefReaderCallback_Comm,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReaderCallbacks_SetParameterCallback(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
        parameterCallback: OTF2_DefReaderCallback_Parameter,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReaderCallbacks_SetRmaWinCallback(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
        rmaWinCallback: OTF2_DefReaderCallback_RmaWin,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReaderCallbacks_SetMetricClassRecorderCallback(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
        metricClassRecorderCallback: OTF2_DefReaderCallback_MetricClassRecorder,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReaderCallbacks_SetSystemTreeNodePropertyCallback(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
        systemTreeNodePropertyCallback: OTF2_DefReaderCallback_SystemTreeNodeProperty,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReaderCallbacks_SetSystemTreeNodeDomainCallback(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
        systemTreeNodeDomainCallback: OTF2_DefReaderCallback_SystemTreeNodeDomain,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReaderCallbacks_SetLocationGroupPropertyCallback(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
        locationGroupPropertyCallback: OTF2_DefReaderCallback_LocationGroupProperty,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReaderCallbacks_SetLocationPropertyCallback(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
        locationPropertyCallback: OTF2_DefReaderCallback_LocationProperty,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReaderCallbacks_SetCartDimensionCallback(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
        cartDimensionCallback: OTF2_DefReaderCallback_CartDimension,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReaderCallbacks_SetCartTopologyCallback(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
        cartTopologyCallback: OTF2_DefReaderCallback_CartTopology,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReaderCallbacks_SetCartCoordinateCallback(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
        cartCoordinateCallback: OTF2_DefReaderCallback_CartCoordinate,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReaderCallbacks_SetSourceCodeLocationCallback(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
        sourceCodeLocationCallback: OTF2_DefReaderCallback_SourceCodeLocation,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReaderCallbacks_SetCallingContextCallback(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
        callingContextCallback: OTF2_DefReaderCallback_CallingContext,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReaderCallbacks_SetCallingContextPropertyCallback(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
        callingContextPropertyCallback: OTF2_DefReaderCallback_CallingContextProperty,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReaderCallbacks_SetInterruptGeneratorCallback(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
        interruptGeneratorCallback: OTF2_DefReaderCallback_InterruptGenerator,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReaderCallbacks_SetIoFilePropertyCallback(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
        ioFilePropertyCallback: OTF2_DefReaderCallback_IoFileProperty,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReaderCallbacks_SetIoRegularFileCallback(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
        ioRegularFileCallback: OTF2_DefReaderCallback_IoRegularFile,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReaderCallbacks_SetIoDirectoryCallback(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
        ioDirectoryCallback: OTF2_DefReaderCallback_IoDirectory,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReaderCallbacks_SetIoHandleCallback(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
        ioHandleCallback: OTF2_DefReaderCallback_IoHandle,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReaderCallbacks_SetIoPreCreatedHandleStateCallback(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
        ioPreCreatedHandleStateCallback: OTF2_DefReaderCallback_IoPreCreatedHandleState,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReaderCallbacks_SetCallpathParameterCallback(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
        callpathParameterCallback: OTF2_DefReaderCallback_CallpathParameter,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReaderCallbacks_SetInterCommCallback(
        defReaderCallbacks: *mut OTF2_DefReaderCallbacks,
        interCommCallback: OTF2_DefReaderCallback_InterComm,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReader_GetLocationID(
        reader: *const OTF2_DefReader,
        location: *mut OTF2_LocationRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReader_SetCallbacks(
        reader: *mut OTF2_DefReader,
        callbacks: *const OTF2_DefReaderCallbacks,
        userData: *mut ::core::ffi::c_void,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_DefReader_ReadDefinitions(
        reader: *mut OTF2_DefReader,
        recordsToRead: u64,
        recordsRead: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_New() -> *mut OTF2_AttributeList;
    pub fn OTF2_AttributeList_Delete(
        attributeList: *mut OTF2_AttributeList,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_AddAttribute(
        attributeList: *mut OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        type_: OTF2_Type,
        attributeValue: OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_AddUint8(
        attributeList: *mut OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        uint8Value: u8,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_AddUint16(
        attributeList: *mut OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        uint16Value: u16,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_AddUint32(
        attributeList: *mut OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        uint32Value: u32,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_AddUint64(
        attributeList: *mut OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        uint64Value: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_AddInt8(
        attributeList: *mut OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        int8Value: i8,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_AddInt16(
        attributeList: *mut OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        int16Value: i16,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_AddInt32(
        attributeList: *mut OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        int32Value: i32,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_AddInt64(
        attributeList: *mut OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        int64Value: i64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_AddFloat(
        attributeList: *mut OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        float32Value: f32,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_AddDouble(
        attributeList: *mut OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        float64Value: f64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_AddStringRef(
        attributeList: *mut OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        stringRef: OTF2_StringRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_AddAttributeRef(
        attributeList: *mut OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        attributeRef: OTF2_AttributeRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_AddLocationRef(
        attributeList: *mut OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        locationRef: OTF2_LocationRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_AddRegionRef(
        attributeList: *mut OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        regionRef: OTF2_RegionRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_AddGroupRef(
        attributeList: *mut OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        groupRef: OTF2_GroupRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_AddMetricRef(
        attributeList: *mut OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        metricRef: OTF2_MetricRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_AddCommRef(
        attributeList: *mut OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        commRef: OTF2_CommRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_AddParameterRef(
        attributeList: *mut OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        parameterRef: OTF2_ParameterRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_AddRmaWinRef(
        attributeList: *mut OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        rmaWinRef: OTF2_RmaWinRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_AddSourceCodeLocationRef(
        attributeList: *mut OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        sourceCodeLocationRef: OTF2_SourceCodeLocationRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_AddCallingContextRef(
        attributeList: *mut OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        callingContextRef: OTF2_CallingContextRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_AddInterruptGeneratorRef(
        attributeList: *mut OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        interruptGeneratorRef: OTF2_InterruptGeneratorRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_AddIoFileRef(
        attributeList: *mut OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        ioFileRef: OTF2_IoFileRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_AddIoHandleRef(
        attributeList: *mut OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        ioHandleRef: OTF2_IoHandleRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_AddLocationGroupRef(
        attributeList: *mut OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        locationGroupRef: OTF2_LocationGroupRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_RemoveAttribute(
        attributeList: *mut OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_RemoveAllAttributes(
        attributeList: *mut OTF2_AttributeList,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_TestAttributeByID(
        attributeList: *const OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
    ) -> bool;
    pub fn OTF2_AttributeList_GetAttributeByID(
        attributeList: *const OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        type_: *mut OTF2_Type,
        attributeValue: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_GetUint8(
        attributeList: *const OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        uint8Value: *mut u8,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_GetUint16(
        attributeList: *const OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        uint16Value: *mut u16,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_GetUint32(
        attributeList: *const OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        uint32Value: *mut u32,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_GetUint64(
        attributeList: *const OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        uint64Value: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_GetInt8(
        attributeList: *const OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        int8Value: *mut i8,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_GetInt16(
        attributeList: *const OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        int16Value: *mut i16,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_GetInt32(
        attributeList: *const OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        int32Value: *mut i32,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_GetInt64(
        attributeList: *const OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        int64Value: *mut i64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_GetFloat(
        attributeList: *const OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        float32Value: *mut f32,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_GetDouble(
        attributeList: *const OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        float64Value: *mut f64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_GetStringRef(
        attributeList: *const OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        stringRef: *mut OTF2_StringRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_GetAttributeRef(
        attributeList: *const OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        attributeRef: *mut OTF2_AttributeRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_GetLocationRef(
        attributeList: *const OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        locationRef: *mut OTF2_LocationRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_GetRegionRef(
        attributeList: *const OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        regionRef: *mut OTF2_RegionRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_GetGroupRef(
        attributeList: *const OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        groupRef: *mut OTF2_GroupRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_GetMetricRef(
        attributeList: *const OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        metricRef: *mut OTF2_MetricRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_GetCommRef(
        attributeList: *const OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        commRef: *mut OTF2_CommRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_GetParameterRef(
        attributeList: *const OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        parameterRef: *mut OTF2_ParameterRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_GetRmaWinRef(
        attributeList: *const OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        rmaWinRef: *mut OTF2_RmaWinRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_GetSourceCodeLocationRef(
        attributeList: *const OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        sourceCodeLocationRef: *mut OTF2_SourceCodeLocationRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_GetCallingContextRef(
        attributeList: *const OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        callingContextRef: *mut OTF2_CallingContextRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_GetInterruptGeneratorRef(
        attributeList: *const OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        interruptGeneratorRef: *mut OTF2_InterruptGeneratorRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_GetIoFileRef(
        attributeList: *const OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        ioFileRef: *mut OTF2_IoFileRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_GetIoHandleRef(
        attributeList: *const OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        ioHandleRef: *mut OTF2_IoHandleRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_GetLocationGroupRef(
        attributeList: *const OTF2_AttributeList,
        attribute: OTF2_AttributeRef,
        locationGroupRef: *mut OTF2_LocationGroupRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_GetAttributeByIndex(
        attributeList: *const OTF2_AttributeList,
        index: u32,
        attribute: *mut OTF2_AttributeRef,
        type_: *mut OTF2_Type,
        attributeValue: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_PopAttribute(
        attributeList: *mut OTF2_AttributeList,
        attribute: *mut OTF2_AttributeRef,
        type_: *mut OTF2_Type,
        attributeValue: *mut OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_AttributeList_GetNumberOfElements(
        attributeList: *const OTF2_AttributeList,
    ) -> u32;
    pub fn OTF2_EvtWriter_GetLocationID(
        writer: *const OTF2_EvtWriter,
        locationID: *mut OTF2_LocationRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_SetUserData(
        writer: *mut OTF2_EvtWriter,
        userData: *mut ::core::ffi::c_void,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_GetUserData(
        writer: *const OTF2_EvtWriter,
        userData: *mut *mut ::core::ffi::c_void,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_SetLocationID(
        writer: *mut OTF2_EvtWriter,
        location: OTF2_LocationRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_GetNumberOfEvents(
        writer: *mut OTF2_EvtWriter,
        numberOfEvents: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_BufferFlush(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        stopTime: OTF2_TimeStamp,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_MeasurementOnOff(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        measurementMode: OTF2_MeasurementMode,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_Enter(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        region: OTF2_RegionRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_Leave(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        region: OTF2_RegionRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_MpiSend(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        receiver: u32,
        communicator: OTF2_CommRef,
        msgTag: u32,
        msgLength: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_MpiIsend(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        receiver: u32,
        communicator: OTF2_CommRef,
        msgTag: u32,
        msgLength: u64,
        requestID: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_MpiIsendComplete(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        requestID: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_MpiIrecvRequest(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        requestID: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_MpiRecv(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        sender: u32,
        communicator: OTF2_CommRef,
        msgTag: u32,
        msgLength: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_MpiIrecv(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        sender: u32,
        communicator: OTF2_CommRef,
        msgTag: u32,
        msgLength: u64,
        requestID: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_MpiRequestTest(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        requestID: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_MpiRequestCancelled(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        requestID: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_MpiCollectiveBegin(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_MpiCollectiveEnd(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        collectiveOp: OTF2_CollectiveOp,
        communicator: OTF2_CommRef,
        root: u32,
        sizeSent: u64,
        sizeReceived: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_OmpFork(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        numberOfRequestedThreads: u32,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_OmpJoin(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_OmpAcquireLock(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        lockID: u32,
        acquisitionOrder: u32,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_OmpReleaseLock(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        lockID: u32,
        acquisitionOrder: u32,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_OmpTaskCreate(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        taskID: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_OmpTaskSwitch(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        taskID: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_OmpTaskComplete(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        taskID: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_Metric(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        metric: OTF2_MetricRef,
        numberOfMetrics: u8,
        typeIDs: *const OTF2_Type,
        metricValues: *const OTF2_MetricValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_ParameterString(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        parameter: OTF2_ParameterRef,
        string: OTF2_StringRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_ParameterInt(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        parameter: OTF2_ParameterRef,
        value: i64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_ParameterUnsignedInt(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        parameter: OTF2_ParameterRef,
        value: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_RmaWinCreate(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        win: OTF2_RmaWinRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_RmaWinDestroy(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        win: OTF2_RmaWinRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_RmaCollectiveBegin(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_RmaCollectiveEnd(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        collectiveOp: OTF2_CollectiveOp,
        syncLevel: OTF2_RmaSyncLevel,
        win: OTF2_RmaWinRef,
        root: u32,
        bytesSent: u64,
        bytesReceived: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_RmaGroupSync(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        syncLevel: OTF2_RmaSyncLevel,
        win: OTF2_RmaWinRef,
        group: OTF2_GroupRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_RmaRequestLock(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        win: OTF2_RmaWinRef,
        remote: u32,
        lockId: u64,
        lockType: OTF2_LockType,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_RmaAcquireLock(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        win: OTF2_RmaWinRef,
        remote: u32,
        lockId: u64,
        lockType: OTF2_LockType,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_RmaTryLock(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        win: OTF2_RmaWinRef,
        remote: u32,
        lockId: u64,
        lockType: OTF2_LockType,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_RmaReleaseLock(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        win: OTF2_RmaWinRef,
        remote: u32,
        lockId: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_RmaSync(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        win: OTF2_RmaWinRef,
        remote: u32,
        syncType: OTF2_RmaSyncType,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_RmaWaitChange(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        win: OTF2_RmaWinRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_RmaPut(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        win: OTF2_RmaWinRef,
        remote: u32,
        bytes: u64,
        matchingId: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_RmaGet(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        win: OTF2_RmaWinRef,
        remote: u32,
        bytes: u64,
        matchingId: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_RmaAtomic(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        win: OTF2_RmaWinRef,
        remote: u32,
        type_: OTF2_RmaAtomicType,
        bytesSent: u64,
        bytesReceived: u64,
        matchingId: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_RmaOpCompleteBlocking(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        win: OTF2_RmaWinRef,
        matchingId: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_RmaOpCompleteNonBlocking(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        win: OTF2_RmaWinRef,
        matchingId: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_RmaOpTest(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        win: OTF2_RmaWinRef,
        matchingId: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_RmaOpCompleteRemote(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        win: OTF2_RmaWinRef,
        matchingId: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_ThreadFork(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        model: OTF2_Paradigm,
        numberOfRequestedThreads: u32,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_ThreadJoin(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        model: OTF2_Paradigm,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_ThreadTeamBegin(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        threadTeam: OTF2_CommRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_ThreadTeamEnd(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        threadTeam: OTF2_CommRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_ThreadAcquireLock(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        model: OTF2_Paradigm,
        lockID: u32,
        acquisitionOrder: u32,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_ThreadReleaseLock(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        model: OTF2_Paradigm,
        lockID: u32,
        acquisitionOrder: u32,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_ThreadTaskCreate(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        threadTeam: OTF2_CommRef,
        creatingThread: u32,
        generationNumber: u32,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_ThreadTaskSwitch(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        threadTeam: OTF2_CommRef,
        creatingThread: u32,
        generationNumber: u32,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_ThreadTaskComplete(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        threadTeam: OTF2_CommRef,
        creatingThread: u32,
        generationNumber: u32,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_ThreadCreate(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        threadContingent: OTF2_CommRef,
        sequenceCount: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_ThreadBegin(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        threadContingent: OTF2_CommRef,
        sequenceCount: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_ThreadWait(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        threadContingent: OTF2_CommRef,
        sequenceCount: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_ThreadEnd(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        threadContingent: OTF2_CommRef,
        sequenceCount: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_CallingContextEnter(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        callingContext: OTF2_CallingContextRef,
        unwindDistance: u32,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_CallingContextLeave(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        callingContext: OTF2_CallingContextRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_CallingContextSample(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        callingContext: OTF2_CallingContextRef,
        unwindDistance: u32,
        interruptGenerator: OTF2_InterruptGeneratorRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_IoCreateHandle(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        handle: OTF2_IoHandleRef,
        mode: OTF2_IoAccessMode,
        creationFlags: OTF2_IoCreationFlag,
        statusFlags: OTF2_IoStatusFlag,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_IoDestroyHandle(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        handle: OTF2_IoHandleRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_IoDuplicateHandle(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        oldHandle: OTF2_IoHandleRef,
        newHandle: OTF2_IoHandleRef,
        statusFlags: OTF2_IoStatusFlag,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_IoSeek(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        handle: OTF2_IoHandleRef,
        offsetRequest: i64,
        whence: OTF2_IoSeekOption,
        offsetResult: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_IoChangeStatusFlags(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        handle: OTF2_IoHandleRef,
        statusFlags: OTF2_IoStatusFlag,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_IoDeleteFile(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        ioParadigm: OTF2_IoParadigmRef,
        file: OTF2_IoFileRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_IoOperationBegin(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        handle: OTF2_IoHandleRef,
        mode: OTF2_IoOperationMode,
        operationFlags: OTF2_IoOperationFlag,
        bytesRequest: u64,
        matchingId: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_IoOperationTest(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        handle: OTF2_IoHandleRef,
        matchingId: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_IoOperationIssued(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        handle: OTF2_IoHandleRef,
        matchingId: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_IoOperationComplete(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        handle: OTF2_IoHandleRef,
        bytesResult: u64,
        matchingId: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_IoOperationCancelled(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        handle: OTF2_IoHandleRef,
        matchingId: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_IoAcquireLock(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        handle: OTF2_IoHandleRef,
        lockType: OTF2_LockType,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_IoReleaseLock(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        handle: OTF2_IoHandleRef,
        lockType: OTF2_LockType,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_IoTryLock(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        handle: OTF2_IoHandleRef,
        lockType: OTF2_LockType,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_ProgramBegin(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        programName: OTF2_StringRef,
        numberOfArguments: u32,
        programArguments: *const OTF2_StringRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_ProgramEnd(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        exitStatus: i64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_NonBlockingCollectiveRequest(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        requestID: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_NonBlockingCollectiveComplete(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        collectiveOp: OTF2_CollectiveOp,
        communicator: OTF2_CommRef,
        root: u32,
        sizeSent: u64,
        sizeReceived: u64,
        requestID: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_CommCreate(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        communicator: OTF2_CommRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_CommDestroy(
        writer: *mut OTF2_EvtWriter,
        attributeList: *mut OTF2_AttributeList,
        time: OTF2_TimeStamp,
        communicator: OTF2_CommRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_StoreRewindPoint(
        writer: *mut OTF2_EvtWriter,
        rewindId: u32,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_Rewind(
        writer: *mut OTF2_EvtWriter,
        rewindId: u32,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtWriter_ClearRewindPoint(
        writer: *mut OTF2_EvtWriter,
        rewindId: u32,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_New() -> *mut OTF2_EvtReaderCallbacks;
    pub fn OTF2_EvtReaderCallbacks_Delete(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
    );
    pub fn OTF2_EvtReaderCallbacks_Clear(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
    );
    pub fn OTF2_EvtReaderCallbacks_SetUnknownCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        unknownCallback: OTF2_EvtReaderCallback_Unknown,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetBufferFlushCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        bufferFlushCallback: OTF2_EvtReaderCallback_BufferFlush,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetMeasurementOnOffCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        measurementOnOffCallback: OTF2_EvtReaderCallback_MeasurementOnOff,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetEnterCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        enterCallback: OTF2_EvtReaderCallback_Enter,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetLeaveCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        leaveCallback: OTF2_EvtReaderCallback_Leave,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetMpiSendCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        mpiSendCallback: OTF2_EvtReaderCallback_MpiSend,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetMpiIsendCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        mpiIsendCallback: OTF2_EvtReaderCallback_MpiIsend,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        mpiIsendCompleteCallback: OTF2_EvtReaderCallback_MpiIsendComplete,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        mpiIrecvRequestCallback: OTF2_EvtReaderCallback_MpiIrecvRequest,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetMpiRecvCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        mpiRecvCallback: OTF2_EvtReaderCallback_MpiRecv,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        mpiIrecvCallback: OTF2_EvtReaderCallback_MpiIrecv,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetMpiRequestTestCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        mpiRequestTestCallback: OTF2_EvtReaderCallback_MpiRequestTest,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        mpiRequestCancelledCallback: OTF2_EvtReaderCallback_MpiRequestCancelled,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        mpiCollectiveBeginCallback: OTF2_EvtReaderCallback_MpiCollectiveBegin,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        mpiCollectiveEndCallback: OTF2_EvtReaderCallback_MpiCollectiveEnd,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetOmpForkCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        ompForkCallback: OTF2_EvtReaderCallback_OmpFork,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetOmpJoinCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        ompJoinCallback: OTF2_EvtReaderCallback_OmpJoin,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetOmpAcquireLockCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        ompAcquireLockCallback: OTF2_EvtReaderCallback_OmpAcquireLock,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetOmpReleaseLockCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        ompReleaseLockCallback: OTF2_EvtReaderCallback_OmpReleaseLock,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetOmpTaskCreateCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        ompTaskCreateCallback: OTF2_EvtReaderCallback_OmpTaskCreate,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetOmpTaskSwitchCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        ompTaskSwitchCallback: OTF2_EvtReaderCallback_OmpTaskSwitch,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetOmpTaskCompleteCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        ompTaskCompleteCallback: OTF2_EvtReaderCallback_OmpTaskComplete,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetMetricCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        metricCallback: OTF2_EvtReaderCallback_Metric,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetParameterStringCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        parameterStringCallback: OTF2_EvtReaderCallback_ParameterString,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetParameterIntCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        parameterIntCallback: OTF2_EvtReaderCallback_ParameterInt,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetParameterUnsignedIntCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        parameterUnsignedIntCallback: OTF2_EvtReaderCallback_ParameterUnsignedInt,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetRmaWinCreateCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        rmaWinCreateCallback: OTF2_EvtReaderCallback_RmaWinCreate,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetRmaWinDestroyCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        rmaWinDestroyCallback: OTF2_EvtReaderCallback_RmaWinDestroy,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetRmaCollectiveBeginCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        rmaCollectiveBeginCallback: OTF2_EvtReaderCallback_RmaCollectiveBegin,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetRmaCollectiveEndCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        rmaCollectiveEndCallback: OTF2_EvtReaderCallback_RmaCollectiveEnd,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetRmaGroupSyncCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        rmaGroupSyncCallback: OTF2_EvtReaderCallback_RmaGroupSync,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetRmaRequestLockCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        rmaRequestLockCallback: OTF2_EvtReaderCallback_RmaRequestLock,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetRmaAcquireLockCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        rmaAcquireLockCallback: OTF2_EvtReaderCallback_RmaAcquireLock,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetRmaTryLockCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        rmaTryLockCallback: OTF2_EvtReaderCallback_RmaTryLock,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetRmaReleaseLockCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        rmaReleaseLockCallback: OTF2_EvtReaderCallback_RmaReleaseLock,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetRmaSyncCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        rmaSyncCallback: OTF2_EvtReaderCallback_RmaSync,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetRmaWaitChangeCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        rmaWaitChangeCallback: OTF2_EvtReaderCallback_RmaWaitChange,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetRmaPutCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        rmaPutCallback: OTF2_EvtReaderCallback_RmaPut,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetRmaGetCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        rmaGetCallback: OTF2_EvtReaderCallback_RmaGet,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetRmaAtomicCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        rmaAtomicCallback: OTF2_EvtReaderCallback_RmaAtomic,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetRmaOpCompleteBlockingCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        rmaOpCompleteBlockingCallback: OTF2_EvtReaderCallback_RmaOpCompleteBlocking,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetRmaOpCompleteNonBlockingCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        rmaOpCompleteNonBlockingCallback: OTF2_EvtReaderCallback_RmaOpCompleteNonBlocking,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetRmaOpTestCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        rmaOpTestCallback: OTF2_EvtReaderCallback_RmaOpTest,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetRmaOpCompleteRemoteCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        rmaOpCompleteRemoteCallback: OTF2_EvtReaderCallback_RmaOpCompleteRemote,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetThreadForkCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        threadForkCallback: OTF2_EvtReaderCallback_ThreadFork,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetThreadJoinCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        threadJoinCallback: OTF2_EvtReaderCallback_ThreadJoin,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetThreadTeamBeginCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        threadTeamBeginCallback: OTF2_EvtReaderCallback_ThreadTeamBegin,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetThreadTeamEndCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        threadTeamEndCallback: OTF2_EvtReaderCallback_ThreadTeamEnd,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetThreadAcquireLockCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        threadAcquireLockCallback: OTF2_EvtReaderCallback_ThreadAcquireLock,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetThreadReleaseLockCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        threadReleaseLockCallback: OTF2_EvtReaderCallback_ThreadReleaseLock,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetThreadTaskCreateCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        threadTaskCreateCallback: OTF2_EvtReaderCallback_ThreadTaskCreate,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetThreadTaskSwitchCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        threadTaskSwitchCallback: OTF2_EvtReaderCallback_ThreadTaskSwitch,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetThreadTaskCompleteCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        threadTaskCompleteCallback: OTF2_EvtReaderCallback_ThreadTaskComplete,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetThreadCreateCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        threadCreateCallback: OTF2_EvtReaderCallback_ThreadCreate,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetThreadBeginCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        threadBeginCallback: OTF2_EvtReaderCallback_ThreadBegin,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetThreadWaitCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        threadWaitCallback: OTF2_EvtReaderCallback_ThreadWait,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetThreadEndCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        threadEndCallback: OTF2_EvtReaderCallback_ThreadEnd,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetCallingContextEnterCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        callingContextEnterCallback: OTF2_EvtReaderCallback_CallingContextEnter,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetCallingContextLeaveCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        callingContextLeaveCallback: OTF2_EvtReaderCallback_CallingContextLeave,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetCallingContextSampleCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        callingContextSampleCallback: OTF2_EvtReaderCallback_CallingContextSample,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetIoCreateHandleCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        ioCreateHandleCallback: OTF2_EvtReaderCallback_IoCreateHandle,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetIoDestroyHandleCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        ioDestroyHandleCallback: OTF2_EvtReaderCallback_IoDestroyHandle,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetIoDuplicateHandleCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        ioDuplicateHandleCallback: OTF2_EvtReaderCallback_IoDuplicateHandle,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetIoSeekCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        ioSeekCallback: OTF2_EvtReaderCallback_IoSeek,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetIoChangeStatusFlagsCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        ioChangeStatusFlagsCallback: OTF2_EvtReaderCallback_IoChangeStatusFlags,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetIoDeleteFileCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        ioDeleteFileCallback: OTF2_EvtReaderCallback_IoDeleteFile,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetIoOperationBeginCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        ioOperationBeginCallback: OTF2_EvtReaderCallback_IoOperationBegin,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetIoOperationTestCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        ioOperationTestCallback: OTF2_EvtReaderCallback_IoOperationTest,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetIoOperationIssuedCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        ioOperationIssuedCallback: OTF2_EvtReaderCallback_IoOperationIssued,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetIoOperationCompleteCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        ioOperationCompleteCallback: OTF2_EvtReaderCallback_IoOperationComplete,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetIoOperationCancelledCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        ioOperationCancelledCallback: OTF2_EvtReaderCallback_IoOperationCancelled,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetIoAcquireLockCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        ioAcquireLockCallback: OTF2_EvtReaderCallback_IoAcquireLock,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetIoReleaseLockCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        ioReleaseLockCallback: OTF2_EvtReaderCallback_IoReleaseLock,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetIoTryLockCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        ioTryLockCallback: OTF2_EvtReaderCallback_IoTryLock,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetProgramBeginCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        programBeginCallback: OTF2_EvtReaderCallback_ProgramBegin,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetProgramEndCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        programEndCallback: OTF2_EvtReaderCallback_ProgramEnd,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        nonBlockingCollectiveRequestCallback: OTF2_EvtReaderCallback_NonBlockingCollectiveRequest,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        nonBlockingCollectiveCompleteCallback: OTF2_EvtReaderCallback_NonBlockingCollectiveComplete,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetCommCreateCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        commCreateCallback: OTF2_EvtReaderCallback_CommCreate,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReaderCallbacks_SetCommDestroyCallback(
        evtReaderCallbacks: *mut OTF2_EvtReaderCallbacks,
        commDestroyCallback: OTF2_EvtReaderCallback_CommDestroy,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReader_GetLocationID(
        reader: *const OTF2_EvtReader,
        location: *mut OTF2_LocationRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReader_GetPos(
        reader: *mut OTF2_EvtReader,
        position: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReader_SetCallbacks(
        reader: *mut OTF2_EvtReader,
        callbacks: *const OTF2_EvtReaderCallbacks,
        userData: *mut ::core::ffi::c_void,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReader_Seek(
        reader: *mut OTF2_EvtReader,
        position: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReader_ReadEvents(
        reader: *mut OTF2_EvtReader,
        recordsToRead: u64,
        recordsRead: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReader_TimeStampRewrite(
        reader: *mut OTF2_EvtReader,
        time: OTF2_TimeStamp,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReader_ReadEventsBackward(
        reader: *mut OTF2_EvtReader,
        recordsToRead: u64,
        recordsRead: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReader_ApplyMappingTables(
        reader: *mut OTF2_EvtReader,
        action: bool,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_EvtReader_ApplyClockOffsets(
        reader: *mut OTF2_EvtReader,
        action: bool,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapWriter_GetLocationID(
        writer: *const OTF2_SnapWriter,
        locationID: *mut OTF2_LocationRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapWriter_SnapshotStart(
        writer: *mut OTF2_SnapWriter,
        attributeList: *mut OTF2_AttributeList,
        snapTime: OTF2_TimeStamp,
        numberOfRecords: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapWriter_SnapshotEnd(
        writer: *mut OTF2_SnapWriter,
        attributeList: *mut OTF2_AttributeList,
        snapTime: OTF2_TimeStamp,
        contReadPos: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapWriter_MeasurementOnOff(
        writer: *mut OTF2_SnapWriter,
        attributeList: *mut OTF2_AttributeList,
        snapTime: OTF2_TimeStamp,
        origEventTime: OTF2_TimeStamp,
        measurementMode: OTF2_MeasurementMode,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapWriter_Enter(
        writer: *mut OTF2_SnapWriter,
        attributeList: *mut OTF2_AttributeList,
        snapTime: OTF2_TimeStamp,
        origEventTime: OTF2_TimeStamp,
        region: OTF2_RegionRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapWriter_MpiSend(
        writer: *mut OTF2_SnapWriter,
        attributeList: *mut OTF2_AttributeList,
        snapTime: OTF2_TimeStamp,
        origEventTime: OTF2_TimeStamp,
        receiver: u32,
        communicator: OTF2_CommRef,
        msgTag: u32,
        msgLength: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapWriter_MpiIsend(
        writer: *mut OTF2_SnapWriter,
        attributeList: *mut OTF2_AttributeList,
        snapTime: OTF2_TimeStamp,
        origEventTime: OTF2_TimeStamp,
        receiver: u32,
        communicator: OTF2_CommRef,
        msgTag: u32,
        msgLength: u64,
        requestID: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapWriter_MpiIsendComplete(
        writer: *mut OTF2_SnapWriter,
        attributeList: *mut OTF2_AttributeList,
        snapTime: OTF2_TimeStamp,
        origEventTime: OTF2_TimeStamp,
        requestID: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapWriter_MpiRecv(
        writer: *mut OTF2_SnapWriter,
        attributeList: *mut OTF2_AttributeList,
        snapTime: OTF2_TimeStamp,
        origEventTime: OTF2_TimeStamp,
        sender: u32,
        communicator: OTF2_CommRef,
        msgTag: u32,
        msgLength: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapWriter_MpiIrecvRequest(
        writer: *mut OTF2_SnapWriter,
        attributeList: *mut OTF2_AttributeList,
        snapTime: OTF2_TimeStamp,
        origEventTime: OTF2_TimeStamp,
        requestID: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapWriter_MpiIrecv(
        writer: *mut OTF2_SnapWriter,
        attributeList: *mut OTF2_AttributeList,
        snapTime: OTF2_TimeStamp,
        origEventTime: OTF2_TimeStamp,
        sender: u32,
        communicator: OTF2_CommRef,
        msgTag: u32,
        msgLength: u64,
        requestID: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapWriter_MpiCollectiveBegin(
        writer: *mut OTF2_SnapWriter,
        attributeList: *mut OTF2_AttributeList,
        snapTime: OTF2_TimeStamp,
        origEventTime: OTF2_TimeStamp,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapWriter_MpiCollectiveEnd(
        writer: *mut OTF2_SnapWriter,
        attributeList: *mut OTF2_AttributeList,
        snapTime: OTF2_TimeStamp,
        origEventTime: OTF2_TimeStamp,
        collectiveOp: OTF2_CollectiveOp,
        communicator: OTF2_CommRef,
        root: u32,
        sizeSent: u64,
        sizeReceived: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapWriter_OmpFork(
        writer: *mut OTF2_SnapWriter,
        attributeList: *mut OTF2_AttributeList,
        snapTime: OTF2_TimeStamp,
        origEventTime: OTF2_TimeStamp,
        numberOfRequestedThreads: u32,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapWriter_OmpAcquireLock(
        writer: *mut OTF2_SnapWriter,
        attributeList: *mut OTF2_AttributeList,
        snapTime: OTF2_TimeStamp,
        origEventTime: OTF2_TimeStamp,
        lockID: u32,
        acquisitionOrder: u32,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapWriter_OmpTaskCreate(
        writer: *mut OTF2_SnapWriter,
        attributeList: *mut OTF2_AttributeList,
        snapTime: OTF2_TimeStamp,
        origEventTime: OTF2_TimeStamp,
        taskID: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapWriter_OmpTaskSwitch(
        writer: *mut OTF2_SnapWriter,
        attributeList: *mut OTF2_AttributeList,
        snapTime: OTF2_TimeStamp,
        origEventTime: OTF2_TimeStamp,
        taskID: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapWriter_Metric(
        writer: *mut OTF2_SnapWriter,
        attributeList: *mut OTF2_AttributeList,
        snapTime: OTF2_TimeStamp,
        origEventTime: OTF2_TimeStamp,
        metric: OTF2_MetricRef,
        numberOfMetrics: u8,
        typeIDs: *const OTF2_Type,
        metricValues: *const OTF2_MetricValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapWriter_ParameterString(
        writer: *mut OTF2_SnapWriter,
        attributeList: *mut OTF2_AttributeList,
        snapTime: OTF2_TimeStamp,
        origEventTime: OTF2_TimeStamp,
        parameter: OTF2_ParameterRef,
        string: OTF2_StringRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapWriter_ParameterInt(
        writer: *mut OTF2_SnapWriter,
        attributeList: *mut OTF2_AttributeList,
        snapTime: OTF2_TimeStamp,
        origEventTime: OTF2_TimeStamp,
        parameter: OTF2_ParameterRef,
        value: i64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapWriter_ParameterUnsignedInt(
        writer: *mut OTF2_SnapWriter,
        attributeList: *mut OTF2_AttributeList,
        snapTime: OTF2_TimeStamp,
        origEventTime: OTF2_TimeStamp,
        parameter: OTF2_ParameterRef,
        value: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapReaderCallbacks_New() -> *mut OTF2_SnapReaderCallbacks;
    pub fn OTF2_SnapReaderCallbacks_Delete(
        snapReaderCallbacks: *mut OTF2_SnapReaderCallbacks,
    );
    pub fn OTF2_SnapReaderCallbacks_Clear(
        snapReaderCallbacks: *mut OTF2_SnapReaderCallbacks,
    );
    pub fn OTF2_SnapReaderCallbacks_SetUnknownCallback(
        snapReaderCallbacks: *mut OTF2_SnapReaderCallbacks,
        unknownCallback: OTF2_SnapReaderCallback_Unknown,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapReaderCallbacks_SetSnapshotStartCallback(
        snapReaderCallbacks: *mut OTF2_SnapReaderCallbacks,
        snapshotStartCallback: OTF2_SnapReaderCallback_SnapshotStart,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapReaderCallbacks_SetSnapshotEndCallback(
        snapReaderCallbacks: *mut OTF2_SnapReaderCallbacks,
        snapshotEndCallback: OTF2_SnapReaderCallback_SnapshotEnd,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapReaderCallbacks_SetMeasurementOnOffCallback(
        snapReaderCallbacks: *mut OTF2_SnapReaderCallbacks,
        measurementOnOffCallback: OTF2_SnapReaderCallback_MeasurementOnOff,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapReaderCallbacks_SetEnterCallback(
        snapReaderCallbacks: *mut OTF2_SnapReaderCallbacks,
        enterCallback: OTF2_SnapReaderCallback_Enter,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapReaderCallbacks_SetMpiSendCallback(
        snapReaderCallbacks: *mut OTF2_SnapReaderCallbacks,
        mpiSendCallback: OTF2_SnapReaderCallback_MpiSend,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapReaderCallbacks_SetMpiIsendCallback(
        snapReaderCallbacks: *mut OTF2_SnapReaderCallbacks,
        mpiIsendCallback: OTF2_SnapReaderCallback_MpiIsend,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapReaderCallbacks_SetMpiIsendCompleteCallback(
        snapReaderCallbacks: *mut OTF2_SnapReaderCallbacks,
        mpiIsendCompleteCallback: OTF2_SnapReaderCallback_MpiIsendComplete,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapReaderCallbacks_SetMpiRecvCallback(
        snapReaderCallbacks: *mut OTF2_SnapReaderCallbacks,
        mpiRecvCallback: OTF2_SnapReaderCallback_MpiRecv,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapReaderCallbacks_SetMpiIrecvRequestCallback(
        snapReaderCallbacks: *mut OTF2_SnapReaderCallbacks,
        mpiIrecvRequestCallback: OTF2_SnapReaderCallback_MpiIrecvRequest,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapReaderCallbacks_SetMpiIrecvCallback(
        snapReaderCallbacks: *mut OTF2_SnapReaderCallbacks,
        mpiIrecvCallback: OTF2_SnapReaderCallback_MpiIrecv,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapReaderCallbacks_SetMpiCollectiveBeginCallback(
        snapReaderCallbacks: *mut OTF2_SnapReaderCallbacks,
        mpiCollectiveBeginCallback: OTF2_SnapReaderCallback_MpiCollectiveBegin,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapReaderCallbacks_SetMpiCollectiveEndCallback(
        snapReaderCallbacks: *mut OTF2_SnapReaderCallbacks,
        mpiCollectiveEndCallback: OTF2_SnapReaderCallback_MpiCollectiveEnd,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapReaderCallbacks_SetOmpForkCallback(
        snapReaderCallbacks: *mut OTF2_SnapReaderCallbacks,
        ompForkCallback: OTF2_SnapReaderCallback_OmpFork,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapReaderCallbacks_SetOmpAcquireLockCallback(
        snapReaderCallbacks: *mut OTF2_SnapReaderCallbacks,
        ompAcquireLockCallback: OTF2_SnapReaderCallback_OmpAcquireLock,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapReaderCallbacks_SetOmpTaskCreateCallback(
        snapReaderCallbacks: *mut OTF2_SnapReaderCallbacks,
        ompTaskCreateCallback: OTF2_SnapReaderCallback_OmpTaskCreate,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapReaderCallbacks_SetOmpTaskSwitchCallback(
        snapReaderCallbacks: *mut OTF2_SnapReaderCallbacks,
        ompTaskSwitchCallback: OTF2_SnapReaderCallback_OmpTaskSwitch,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapReaderCallbacks_SetMetricCallback(
        snapReaderCallbacks: *mut OTF2_SnapReaderCallbacks,
        metricCallback: OTF2_SnapReaderCallback_Metric,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapReaderCallbacks_SetParameterStringCallback(
        snapReaderCallbacks: *mut OTF2_SnapReaderCallbacks,
        parameterStringCallback: OTF2_SnapReaderCallback_ParameterString,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapReaderCallbacks_SetParameterIntCallback(
        snapReaderCallbacks: *mut OTF2_SnapReaderCallbacks,
        parameterIntCallback: OTF2_SnapReaderCallback_ParameterInt,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapReaderCallbacks_SetParameterUnsignedIntCallback(
        snapReaderCallbacks: *mut OTF2_SnapReaderCallbacks,
        parameterUnsignedIntCallback: OTF2_SnapReaderCallback_ParameterUnsignedInt,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapReader_GetLocationID(
        reader: *const OTF2_SnapReader,
        location: *mut OTF2_LocationRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapReader_SetCallbacks(
        reader: *mut OTF2_SnapReader,
        callbacks: *const OTF2_SnapReaderCallbacks,
        userData: *mut ::core::ffi::c_void,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapReader_Seek(
        reader: *mut OTF2_SnapReader,
        req_time: u64,
        found: *mut bool,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_SnapReader_ReadSnapshots(
        reader: *mut OTF2_SnapReader,
        recordsToRead: u64,
        recordsRead: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_GetNumberOfDefinitions(
        writerHandle: *mut OTF2_GlobalDefWriter,
        numberOfDefinitions: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_GetNumberOfLocations(
        writerHandle: *mut OTF2_GlobalDefWriter,
        numberOfLocations: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteClockProperties(
        writerHandle: *mut OTF2_GlobalDefWriter,
        timerResolution: u64,
        globalOffset: u64,
        traceLength: u64,
        realtimeTimestamp: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteParadigm(
        writerHandle: *mut OTF2_GlobalDefWriter,
        paradigm: OTF2_Paradigm,
        name: OTF2_StringRef,
        paradigmClass: OTF2_ParadigmClass,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteParadigmProperty(
        writerHandle: *mut OTF2_GlobalDefWriter,
        paradigm: OTF2_Paradigm,
        property: OTF2_ParadigmProperty,
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteIoParadigm(
        writerHandle: *mut OTF2_GlobalDefWriter,
        self_: OTF2_IoParadigmRef,
        identification: OTF2_StringRef,
        name: OTF2_StringRef,
        ioParadigmClass: OTF2_IoParadigmClass,
        ioParadigmFlags: OTF2_IoParadigmFlag,
        numberOfProperties: u8,
        properties: *const OTF2_IoParadigmProperty,
        types: *const OTF2_Type,
        values: *const OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteString(
        writerHandle: *mut OTF2_GlobalDefWriter,
        self_: OTF2_StringRef,
        string: *const ::core::ffi::c_char,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteAttribute(
        writerHandle: *mut OTF2_GlobalDefWriter,
        self_: OTF2_AttributeRef,
        name: OTF2_StringRef,
        description: OTF2_StringRef,
        type_: OTF2_Type,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteSystemTreeNode(
        writerHandle: *mut OTF2_GlobalDefWriter,
        self_: OTF2_SystemTreeNodeRef,
        name: OTF2_StringRef,
        className: OTF2_StringRef,
        parent: OTF2_SystemTreeNodeRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteLocationGroup(
        writerHandle: *mut OTF2_GlobalDefWriter,
        self_: OTF2_LocationGroupRef,
        name: OTF2_StringRef,
        locationGroupType: OTF2_LocationGroupType,
        systemTreeParent: OTF2_SystemTreeNodeRef,
        creatingLocationGroup: OTF2_LocationGroupRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteLocation(
        writerHandle: *mut OTF2_GlobalDefWriter,
        self_: OTF2_LocationRef,
        name: OTF2_StringRef,
        locationType: OTF2_LocationType,
        numberOfEvents: u64,
        locationGroup: OTF2_LocationGroupRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteRegion(
        writerHandle: *mut OTF2_GlobalDefWriter,
        self_: OTF2_RegionRef,
        name: OTF2_StringRef,
        canonicalName: OTF2_StringRef,
        description: OTF2_StringRef,
        regionRole: OTF2_RegionRole,
        paradigm: OTF2_Paradigm,
        regionFlags: OTF2_RegionFlag,
        sourceFile: OTF2_StringRef,
        beginLineNumber: u32,
        endLineNumber: u32,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteCallsite(
        writerHandle: *mut OTF2_GlobalDefWriter,
        self_: OTF2_CallsiteRef,
        sourceFile: OTF2_StringRef,
        lineNumber: u32,
        enteredRegion: OTF2_RegionRef,
        leftRegion: OTF2_RegionRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteCallpath(
        writerHandle: *mut OTF2_GlobalDefWriter,
        self_: OTF2_CallpathRef,
        parent: OTF2_CallpathRef,
        region: OTF2_RegionRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteGroup(
        writerHandle: *mut OTF2_GlobalDefWriter,
        self_: OTF2_GroupRef,
        name: OTF2_StringRef,
        groupType: OTF2_GroupType,
        paradigm: OTF2_Paradigm,
        groupFlags: OTF2_GroupFlag,
        numberOfMembers: u32,
        members: *const u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteMetricMember(
        writerHandle: *mut OTF2_GlobalDefWriter,
        self_: OTF2_MetricMemberRef,
        name: OTF2_StringRef,
        description: OTF2_StringRef,
        metricType: OTF2_MetricType,
        metricMode: OTF2_MetricMode,
        valueType: OTF2_Type,
        base: OTF2_Base,
        exponent: i64,
        unit: OTF2_StringRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteMetricClass(
        writerHandle: *mut OTF2_GlobalDefWriter,
        self_: OTF2_MetricRef,
        numberOfMetrics: u8,
        metricMembers: *const OTF2_MetricMemberRef,
        metricOccurrence: OTF2_MetricOccurrence,
        recorderKind: OTF2_RecorderKind,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteMetricInstance(
        writerHandle: *mut OTF2_GlobalDefWriter,
        self_: OTF2_MetricRef,
        metricClass: OTF2_MetricRef,
        recorder: OTF2_LocationRef,
        metricScope: OTF2_MetricScope,
        scope: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteComm(
        writerHandle: *mut OTF2_GlobalDefWriter,
        self_: OTF2_CommRef,
        name: OTF2_StringRef,
        group: OTF2_GroupRef,
        parent: OTF2_CommRef,
        flags: OTF2_CommFlag,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteParameter(
        writerHandle: *mut OTF2_GlobalDefWriter,
        self_: OTF2_ParameterRef,
        name: OTF2_StringRef,
        parameterType: OTF2_ParameterType,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteRmaWin(
        writerHandle: *mut OTF2_GlobalDefWriter,
        self_: OTF2_RmaWinRef,
        name: OTF2_StringRef,
        comm: OTF2_CommRef,
        flags: OTF2_RmaWinFlag,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteMetricClassRecorder(
        writerHandle: *mut OTF2_GlobalDefWriter,
        metric: OTF2_MetricRef,
        recorder: OTF2_LocationRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteSystemTreeNodeProperty(
        writerHandle: *mut OTF2_GlobalDefWriter,
        systemTreeNode: OTF2_SystemTreeNodeRef,
        name: OTF2_StringRef,
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(
        writerHandle: *mut OTF2_GlobalDefWriter,
        systemTreeNode: OTF2_SystemTreeNodeRef,
        systemTreeDomain: OTF2_SystemTreeDomain,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteLocationGroupProperty(
        writerHandle: *mut OTF2_GlobalDefWriter,
        locationGroup: OTF2_LocationGroupRef,
        name: OTF2_StringRef,
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteLocationProperty(
        writerHandle: *mut OTF2_GlobalDefWriter,
        location: OTF2_LocationRef,
        name: OTF2_StringRef,
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteCartDimension(
        writerHandle: *mut OTF2_GlobalDefWriter,
        self_: OTF2_CartDimensionRef,
        name: OTF2_StringRef,
        size: u32,
        cartPeriodicity: OTF2_CartPeriodicity,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteCartTopology(
        writerHandle: *mut OTF2_GlobalDefWriter,
        self_: OTF2_CartTopologyRef,
        name: OTF2_StringRef,
        communicator: OTF2_CommRef,
        numberOfDimensions: u8,
        cartDimensions: *const OTF2_CartDimensionRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteCartCoordinate(
        writerHandle: *mut OTF2_GlobalDefWriter,
        cartTopology: OTF2_CartTopologyRef,
        rank: u32,
        numberOfDimensions: u8,
        coordinates: *const u32,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteSourceCodeLocation(
        writerHandle: *mut OTF2_GlobalDefWriter,
        self_: OTF2_SourceCodeLocationRef,
        file: OTF2_StringRef,
        lineNumber: u32,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteCallingContext(
        writerHandle: *mut OTF2_GlobalDefWriter,
        self_: OTF2_CallingContextRef,
        region: OTF2_RegionRef,
        sourceCodeLocation: OTF2_SourceCodeLocationRef,
        parent: OTF2_CallingContextRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteCallingContextProperty(
        writerHandle: *mut OTF2_GlobalDefWriter,
        callingContext: OTF2_CallingContextRef,
        name: OTF2_StringRef,
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteInterruptGenerator(
        writerHandle: *mut OTF2_GlobalDefWriter,
        self_: OTF2_InterruptGeneratorRef,
        name: OTF2_StringRef,
        interruptGeneratorMode: OTF2_InterruptGeneratorMode,
        base: OTF2_Base,
        exponent: i64,
        period: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteIoFileProperty(
        writerHandle: *mut OTF2_GlobalDefWriter,
        ioFile: OTF2_IoFileRef,
        name: OTF2_StringRef,
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteIoRegularFile(
        writerHandle: *mut OTF2_GlobalDefWriter,
        self_: OTF2_IoFileRef,
        name: OTF2_StringRef,
        scope: OTF2_SystemTreeNodeRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteIoDirectory(
        writerHandle: *mut OTF2_GlobalDefWriter,
        self_: OTF2_IoFileRef,
        name: OTF2_StringRef,
        scope: OTF2_SystemTreeNodeRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteIoHandle(
        writerHandle: *mut OTF2_GlobalDefWriter,
        self_: OTF2_IoHandleRef,
        name: OTF2_StringRef,
        file: OTF2_IoFileRef,
        ioParadigm: OTF2_IoParadigmRef,
        ioHandleFlags: OTF2_IoHandleFlag,
        comm: OTF2_CommRef,
        parent: OTF2_IoHandleRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteIoPreCreatedHandleState(
        writerHandle: *mut OTF2_GlobalDefWriter,
        ioHandle: OTF2_IoHandleRef,
        mode: OTF2_IoAccessMode,
        statusFlags: OTF2_IoStatusFlag,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteCallpathParameter(
        writerHandle: *mut OTF2_GlobalDefWriter,
        callpath: OTF2_CallpathRef,
        parameter: OTF2_ParameterRef,
        type_: OTF2_Type,
        value: OTF2_AttributeValue,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefWriter_WriteInterComm(
        writerHandle: *mut OTF2_GlobalDefWriter,
        self_: OTF2_CommRef,
        name: OTF2_StringRef,
        groupA: OTF2_GroupRef,
        groupB: OTF2_GroupRef,
        commonCommunicator: OTF2_CommRef,
        flags: OTF2_CommFlag,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_New() -> *mut OTF2_GlobalDefReaderCallbacks;
    pub fn OTF2_GlobalDefReaderCallbacks_Delete(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
    );
    pub fn OTF2_GlobalDefReaderCallbacks_Clear(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
    );
    pub fn OTF2_GlobalDefReaderCallbacks_SetUnknownCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        unknownCallback: OTF2_GlobalDefReaderCallback_Unknown,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        clockPropertiesCallback: OTF2_GlobalDefReaderCallback_ClockProperties,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetParadigmCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        paradigmCallback: OTF2_GlobalDefReaderCallback_Paradigm,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetParadigmPropertyCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        paradigmPropertyCallback: OTF2_GlobalDefReaderCallback_ParadigmProperty,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetIoParadigmCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        ioParadigmCallback: OTF2_GlobalDefReaderCallback_IoParadigm,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetStringCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        stringCallback: OTF2_GlobalDefReaderCallback_String,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        attributeCallback: OTF2_GlobalDefReaderCallback_Attribute,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        systemTreeNodeCallback: OTF2_GlobalDefReaderCallback_SystemTreeNode,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        locationGroupCallback: OTF2_GlobalDefReaderCallback_LocationGroup,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetLocationCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        locationCallback: OTF2_GlobalDefReaderCallback_Location,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetRegionCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        regionCallback: OTF2_GlobalDefReaderCallback_Region,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetCallsiteCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        callsiteCallback: OTF2_GlobalDefReaderCallback_Callsite,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetCallpathCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        callpathCallback: OTF2_GlobalDefReaderCallback_Callpath,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetGroupCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        groupCallback: OTF2_GlobalDefReaderCallback_Group,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        metricMemberCallback: OTF2_GlobalDefReaderCallback_MetricMember,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        metricClassCallback: OTF2_GlobalDefReaderCallback_MetricClass,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetMetricInstanceCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        metricInstanceCallback: OTF2_GlobalDefReaderCallback_MetricInstance,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetCommCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        commCallback: OTF2_GlobalDefReaderCallback_Comm,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetParameterCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        parameterCallback: OTF2_GlobalDefReaderCallback_Parameter,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetRmaWinCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        rmaWinCallback: OTF2_GlobalDefReaderCallback_RmaWin,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetMetricClassRecorderCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        metricClassRecorderCallback: OTF2_GlobalDefReaderCallback_MetricClassRecorder,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodePropertyCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        systemTreeNodePropertyCallback: OTF2_GlobalDefReaderCallback_SystemTreeNodeProperty,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeDomainCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        systemTreeNodeDomainCallback: OTF2_GlobalDefReaderCallback_SystemTreeNodeDomain,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetLocationGroupPropertyCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        locationGroupPropertyCallback: OTF2_GlobalDefReaderCallback_LocationGroupProperty,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetLocationPropertyCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        locationPropertyCallback: OTF2_GlobalDefReaderCallback_LocationProperty,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetCartDimensionCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        cartDimensionCallback: OTF2_GlobalDefReaderCallback_CartDimension,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetCartTopologyCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        cartTopologyCallback: OTF2_GlobalDefReaderCallback_CartTopology,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetCartCoordinateCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        cartCoordinateCallback: OTF2_GlobalDefReaderCallback_CartCoordinate,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetSourceCodeLocationCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        sourceCodeLocationCallback: OTF2_GlobalDefReaderCallback_SourceCodeLocation,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetCallingContextCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        callingContextCallback: OTF2_GlobalDefReaderCallback_CallingContext,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetCallingContextPropertyCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        callingContextPropertyCallback: OTF2_GlobalDefReaderCallback_CallingContextProperty,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetInterruptGeneratorCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        interruptGeneratorCallback: OTF2_GlobalDefReaderCallback_InterruptGenerator,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetIoFilePropertyCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        ioFilePropertyCallback: OTF2_GlobalDefReaderCallback_IoFileProperty,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetIoRegularFileCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        ioRegularFileCallback: OTF2_GlobalDefReaderCallback_IoRegularFile,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetIoDirectoryCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        ioDirectoryCallback: OTF2_GlobalDefReaderCallback_IoDirectory,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetIoHandleCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        ioHandleCallback: OTF2_GlobalDefReaderCallback_IoHandle,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetIoPreCreatedHandleStateCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        ioPreCreatedHandleStateCallback: OTF2_GlobalDefReaderCallback_IoPreCreatedHandleState,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetCallpathParameterCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        callpathParameterCallback: OTF2_GlobalDefReaderCallback_CallpathParameter,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(
        globalDefReaderCallbacks: *mut OTF2_GlobalDefReaderCallbacks,
        interCommCallback: OTF2_GlobalDefReaderCallback_InterComm,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReader_SetCallbacks(
        reader: *mut OTF2_GlobalDefReader,
        callbacks: *const OTF2_GlobalDefReaderCallbacks,
        userData: *mut ::core::ffi::c_void,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalDefReader_ReadDefinitions(
        reader: *mut OTF2_GlobalDefReader,
        recordsToRead: u64,
        recordsRead: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_New() -> *mut OTF2_GlobalEvtReaderCallbacks;
    pub fn OTF2_GlobalEvtReaderCallbacks_Delete(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
    );
    pub fn OTF2_GlobalEvtReaderCallbacks_Clear(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
    );
    pub fn OTF2_GlobalEvtReaderCallbacks_SetUnknownCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        unknownCallback: OTF2_GlobalEvtReaderCallback_Unknown,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetBufferFlushCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        bufferFlushCallback: OTF2_GlobalEvtReaderCallback_BufferFlush,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetMeasurementOnOffCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        measurementOnOffCallback: OTF2_GlobalEvtReaderCallback_MeasurementOnOff,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        enterCallback: OTF2_GlobalEvtReaderCallback_Enter,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetLeaveCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        leaveCallback: OTF2_GlobalEvtReaderCallback_Leave,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetMpiSendCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        mpiSendCallback: OTF2_GlobalEvtReaderCallback_MpiSend,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetMpiIsendCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        mpiIsendCallback: OTF2_GlobalEvtReaderCallback_MpiIsend,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetMpiIsendCompleteCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        mpiIsendCompleteCallback: OTF2_GlobalEvtReaderCallback_MpiIsendComplete,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetMpiIrecvRequestCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        mpiIrecvRequestCallback: OTF2_GlobalEvtReaderCallback_MpiIrecvRequest,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetMpiRecvCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        mpiRecvCallback: OTF2_GlobalEvtReaderCallback_MpiRecv,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetMpiIrecvCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        mpiIrecvCallback: OTF2_GlobalEvtReaderCallback_MpiIrecv,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetMpiRequestTestCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        mpiRequestTestCallback: OTF2_GlobalEvtReaderCallback_MpiRequestTest,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetMpiRequestCancelledCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        mpiRequestCancelledCallback: OTF2_GlobalEvtReaderCallback_MpiRequestCancelled,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetMpiCollectiveBeginCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        mpiCollectiveBeginCallback: OTF2_GlobalEvtReaderCallback_MpiCollectiveBegin,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetMpiCollectiveEndCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        mpiCollectiveEndCallback: OTF2_GlobalEvtReaderCallback_MpiCollectiveEnd,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetOmpForkCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        ompForkCallback: OTF2_GlobalEvtReaderCallback_OmpFork,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetOmpJoinCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        ompJoinCallback: OTF2_GlobalEvtReaderCallback_OmpJoin,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetOmpAcquireLockCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        ompAcquireLockCallback: OTF2_GlobalEvtReaderCallback_OmpAcquireLock,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetOmpReleaseLockCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        ompReleaseLockCallback: OTF2_GlobalEvtReaderCallback_OmpReleaseLock,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetOmpTaskCreateCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        ompTaskCreateCallback: OTF2_GlobalEvtReaderCallback_OmpTaskCreate,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetOmpTaskSwitchCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        ompTaskSwitchCallback: OTF2_GlobalEvtReaderCallback_OmpTaskSwitch,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetOmpTaskCompleteCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        ompTaskCompleteCallback: OTF2_GlobalEvtReaderCallback_OmpTaskComplete,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetMetricCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        metricCallback: OTF2_GlobalEvtReaderCallback_Metric,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetParameterStringCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        parameterStringCallback: OTF2_GlobalEvtReaderCallback_ParameterString,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetParameterIntCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        parameterIntCallback: OTF2_GlobalEvtReaderCallback_ParameterInt,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetParameterUnsignedIntCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        parameterUnsignedIntCallback: OTF2_GlobalEvtReaderCallback_ParameterUnsignedInt,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetRmaWinCreateCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        rmaWinCreateCallback: OTF2_GlobalEvtReaderCallback_RmaWinCreate,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetRmaWinDestroyCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        rmaWinDestroyCallback: OTF2_GlobalEvtReaderCallback_RmaWinDestroy,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetRmaCollectiveBeginCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        rmaCollectiveBeginCallback: OTF2_GlobalEvtReaderCallback_RmaCollectiveBegin,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetRmaCollectiveEndCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        rmaCollectiveEndCallback: OTF2_GlobalEvtReaderCallback_RmaCollectiveEnd,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetRmaGroupSyncCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        rmaGroupSyncCallback: OTF2_GlobalEvtReaderCallback_RmaGroupSync,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetRmaRequestLockCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        rmaRequestLockCallback: OTF2_GlobalEvtReaderCallback_RmaRequestLock,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetRmaAcquireLockCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        rmaAcquireLockCallback: OTF2_GlobalEvtReaderCallback_RmaAcquireLock,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetRmaTryLockCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        rmaTryLockCallback: OTF2_GlobalEvtReaderCallback_RmaTryLock,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetRmaReleaseLockCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        rmaReleaseLockCallback: OTF2_GlobalEvtReaderCallback_RmaReleaseLock,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetRmaSyncCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        rmaSyncCallback: OTF2_GlobalEvtReaderCallback_RmaSync,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetRmaWaitChangeCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        rmaWaitChangeCallback: OTF2_GlobalEvtReaderCallback_RmaWaitChange,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetRmaPutCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        rmaPutCallback: OTF2_GlobalEvtReaderCallback_RmaPut,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetRmaGetCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        rmaGetCallback: OTF2_GlobalEvtReaderCallback_RmaGet,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetRmaAtomicCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        rmaAtomicCallback: OTF2_GlobalEvtReaderCallback_RmaAtomic,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetRmaOpCompleteBlockingCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        rmaOpCompleteBlockingCallback: OTF2_GlobalEvtReaderCallback_RmaOpCompleteBlocking,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetRmaOpCompleteNonBlockingCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        rmaOpCompleteNonBlockingCallback: OTF2_GlobalEvtReaderCallback_RmaOpCompleteNonBlocking,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetRmaOpTestCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        rmaOpTestCallback: OTF2_GlobalEvtReaderCallback_RmaOpTest,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetRmaOpCompleteRemoteCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        rmaOpCompleteRemoteCallback: OTF2_GlobalEvtReaderCallback_RmaOpCompleteRemote,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetThreadForkCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        threadForkCallback: OTF2_GlobalEvtReaderCallback_ThreadFork,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetThreadJoinCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        threadJoinCallback: OTF2_GlobalEvtReaderCallback_ThreadJoin,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetThreadTeamBeginCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        threadTeamBeginCallback: OTF2_GlobalEvtReaderCallback_ThreadTeamBegin,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetThreadTeamEndCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        threadTeamEndCallback: OTF2_GlobalEvtReaderCallback_ThreadTeamEnd,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetThreadAcquireLockCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        threadAcquireLockCallback: OTF2_GlobalEvtReaderCallback_ThreadAcquireLock,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetThreadReleaseLockCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        threadReleaseLockCallback: OTF2_GlobalEvtReaderCallback_ThreadReleaseLock,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetThreadTaskCreateCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        threadTaskCreateCallback: OTF2_GlobalEvtReaderCallback_ThreadTaskCreate,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetThreadTaskSwitchCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        threadTaskSwitchCallback: OTF2_GlobalEvtReaderCallback_ThreadTaskSwitch,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetThreadTaskCompleteCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        threadTaskCompleteCallback: OTF2_GlobalEvtReaderCallback_ThreadTaskComplete,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetThreadCreateCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        threadCreateCallback: OTF2_GlobalEvtReaderCallback_ThreadCreate,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetThreadBeginCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        threadBeginCallback: OTF2_GlobalEvtReaderCallback_ThreadBegin,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetThreadWaitCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        threadWaitCallback: OTF2_GlobalEvtReaderCallback_ThreadWait,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetThreadEndCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        threadEndCallback: OTF2_GlobalEvtReaderCallback_ThreadEnd,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetCallingContextEnterCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        callingContextEnterCallback: OTF2_GlobalEvtReaderCallback_CallingContextEnter,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetCallingContextLeaveCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        callingContextLeaveCallback: OTF2_GlobalEvtReaderCallback_CallingContextLeave,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetCallingContextSampleCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        callingContextSampleCallback: OTF2_GlobalEvtReaderCallback_CallingContextSample,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetIoCreateHandleCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        ioCreateHandleCallback: OTF2_GlobalEvtReaderCallback_IoCreateHandle,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetIoDestroyHandleCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        ioDestroyHandleCallback: OTF2_GlobalEvtReaderCallback_IoDestroyHandle,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetIoDuplicateHandleCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        ioDuplicateHandleCallback: OTF2_GlobalEvtReaderCallback_IoDuplicateHandle,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetIoSeekCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        ioSeekCallback: OTF2_GlobalEvtReaderCallback_IoSeek,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetIoChangeStatusFlagsCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        ioChangeStatusFlagsCallback: OTF2_GlobalEvtReaderCallback_IoChangeStatusFlags,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetIoDeleteFileCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        ioDeleteFileCallback: OTF2_GlobalEvtReaderCallback_IoDeleteFile,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetIoOperationBeginCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        ioOperationBeginCallback: OTF2_GlobalEvtReaderCallback_IoOperationBegin,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetIoOperationTestCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        ioOperationTestCallback: OTF2_GlobalEvtReaderCallback_IoOperationTest,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetIoOperationIssuedCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        ioOperationIssuedCallback: OTF2_GlobalEvtReaderCallback_IoOperationIssued,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetIoOperationCompleteCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        ioOperationCompleteCallback: OTF2_GlobalEvtReaderCallback_IoOperationComplete,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetIoOperationCancelledCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        ioOperationCancelledCallback: OTF2_GlobalEvtReaderCallback_IoOperationCancelled,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetIoAcquireLockCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        ioAcquireLockCallback: OTF2_GlobalEvtReaderCallback_IoAcquireLock,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetIoReleaseLockCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        ioReleaseLockCallback: OTF2_GlobalEvtReaderCallback_IoReleaseLock,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetIoTryLockCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        ioTryLockCallback: OTF2_GlobalEvtReaderCallback_IoTryLock,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetProgramBeginCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        programBeginCallback: OTF2_GlobalEvtReaderCallback_ProgramBegin,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetProgramEndCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        programEndCallback: OTF2_GlobalEvtReaderCallback_ProgramEnd,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        nonBlockingCollectiveRequestCallback: OTF2_GlobalEvtReaderCallback_NonBlockingCollectiveRequest,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        nonBlockingCollectiveCompleteCallback: OTF2_GlobalEvtReaderCallback_NonBlockingCollectiveComplete,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetCommCreateCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        commCreateCallback: OTF2_GlobalEvtReaderCallback_CommCreate,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReaderCallbacks_SetCommDestroyCallback(
        globalEvtReaderCallbacks: *mut OTF2_GlobalEvtReaderCallbacks,
        commDestroyCallback: OTF2_GlobalEvtReaderCallback_CommDestroy,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReader_SetCallbacks(
        reader: *mut OTF2_GlobalEvtReader,
        callbacks: *const OTF2_GlobalEvtReaderCallbacks,
        userData: *mut ::core::ffi::c_void,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReader_ReadEvent(
        reader: *mut OTF2_GlobalEvtReader,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReader_HasEvent(
        reader: *mut OTF2_GlobalEvtReader,
        flag: *mut ::core::ffi::c_int,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalEvtReader_ReadEvents(
        reader: *mut OTF2_GlobalEvtReader,
        recordsToRead: u64,
        recordsRead: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalSnapReaderCallbacks_New() -> *mut OTF2_GlobalSnapReaderCallbacks;
    pub fn OTF2_GlobalSnapReaderCallbacks_Delete(
        globalSnapReaderCallbacks: *mut OTF2_GlobalSnapReaderCallbacks,
    );
    pub fn OTF2_GlobalSnapReaderCallbacks_Clear(
        globalSnapReaderCallbacks: *mut OTF2_GlobalSnapReaderCallbacks,
    );
    pub fn OTF2_GlobalSnapReaderCallbacks_SetUnknownCallback(
        globalSnapReaderCallbacks: *mut OTF2_GlobalSnapReaderCallbacks,
        unknownCallback: OTF2_GlobalSnapReaderCallback_Unknown,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalSnapReaderCallbacks_SetSnapshotStartCallback(
        globalSnapReaderCallbacks: *mut OTF2_GlobalSnapReaderCallbacks,
        snapshotStartCallback: OTF2_GlobalSnapReaderCallback_SnapshotStart,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalSnapReaderCallbacks_SetSnapshotEndCallback(
        globalSnapReaderCallbacks: *mut OTF2_GlobalSnapReaderCallbacks,
        snapshotEndCallback: OTF2_GlobalSnapReaderCallback_SnapshotEnd,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalSnapReaderCallbacks_SetMeasurementOnOffCallback(
        globalSnapReaderCallbacks: *mut OTF2_GlobalSnapReaderCallbacks,
        measurementOnOffCallback: OTF2_GlobalSnapReaderCallback_MeasurementOnOff,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalSnapReaderCallbacks_SetEnterCallback(
        globalSnapReaderCallbacks: *mut OTF2_GlobalSnapReaderCallbacks,
        enterCallback: OTF2_GlobalSnapReaderCallback_Enter,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalSnapReaderCallbacks_SetMpiSendCallback(
        globalSnapReaderCallbacks: *mut OTF2_GlobalSnapReaderCallbacks,
        mpiSendCallback: OTF2_GlobalSnapReaderCallback_MpiSend,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalSnapReaderCallbacks_SetMpiIsendCallback(
        globalSnapReaderCallbacks: *mut OTF2_GlobalSnapReaderCallbacks,
        mpiIsendCallback: OTF2_GlobalSnapReaderCallback_MpiIsend,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalSnapReaderCallbacks_SetMpiIsendCompleteCallback(
        globalSnapReaderCallbacks: *mut OTF2_GlobalSnapReaderCallbacks,
        mpiIsendCompleteCallback: OTF2_GlobalSnapReaderCallback_MpiIsendComplete,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalSnapReaderCallbacks_SetMpiRecvCallback(
        globalSnapReaderCallbacks: *mut OTF2_GlobalSnapReaderCallbacks,
        mpiRecvCallback: OTF2_GlobalSnapReaderCallback_MpiRecv,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalSnapReaderCallbacks_SetMpiIrecvRequestCallback(
        globalSnapReaderCallbacks: *mut OTF2_GlobalSnapReaderCallbacks,
        mpiIrecvRequestCallback: OTF2_GlobalSnapReaderCallback_MpiIrecvRequest,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalSnapReaderCallbacks_SetMpiIrecvCallback(
        globalSnapReaderCallbacks: *mut OTF2_GlobalSnapReaderCallbacks,
        mpiIrecvCallback: OTF2_GlobalSnapReaderCallback_MpiIrecv,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalSnapReaderCallbacks_SetMpiCollectiveBeginCallback(
        globalSnapReaderCallbacks: *mut OTF2_GlobalSnapReaderCallbacks,
        mpiCollectiveBeginCallback: OTF2_GlobalSnapReaderCallback_MpiCollectiveBegin,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalSnapReaderCallbacks_SetMpiCollectiveEndCallback(
        globalSnapReaderCallbacks: *mut OTF2_GlobalSnapReaderCallbacks,
        mpiCollectiveEndCallback: OTF2_GlobalSnapReaderCallback_MpiCollectiveEnd,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalSnapReaderCallbacks_SetOmpForkCallback(
        globalSnapReaderCallbacks: *mut OTF2_GlobalSnapReaderCallbacks,
        ompForkCallback: OTF2_GlobalSnapReaderCallback_OmpFork,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalSnapReaderCallbacks_SetOmpAcquireLockCallback(
        globalSnapReaderCallbacks: *mut OTF2_GlobalSnapReaderCallbacks,
        ompAcquireLockCallback: OTF2_GlobalSnapReaderCallback_OmpAcquireLock,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalSnapReaderCallbacks_SetOmpTaskCreateCallback(
        globalSnapReaderCallbacks: *mut OTF2_GlobalSnapReaderCallbacks,
        ompTaskCreateCallback: OTF2_GlobalSnapReaderCallback_OmpTaskCreate,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalSnapReaderCallbacks_SetOmpTaskSwitchCallback(
        globalSnapReaderCallbacks: *mut OTF2_GlobalSnapReaderCallbacks,
        ompTaskSwitchCallback: OTF2_GlobalSnapReaderCallback_OmpTaskSwitch,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalSnapReaderCallbacks_SetMetricCallback(
        globalSnapReaderCallbacks: *mut OTF2_GlobalSnapReaderCallbacks,
        metricCallback: OTF2_GlobalSnapReaderCallback_Metric,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalSnapReaderCallbacks_SetParameterStringCallback(
        globalSnapReaderCallbacks: *mut OTF2_GlobalSnapReaderCallbacks,
        parameterStringCallback: OTF2_GlobalSnapReaderCallback_ParameterString,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalSnapReaderCallbacks_SetParameterIntCallback(
        globalSnapReaderCallbacks: *mut OTF2_GlobalSnapReaderCallbacks,
        parameterIntCallback: OTF2_GlobalSnapReaderCallback_ParameterInt,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalSnapReaderCallbacks_SetParameterUnsignedIntCallback(
        globalSnapReaderCallbacks: *mut OTF2_GlobalSnapReaderCallbacks,
        parameterUnsignedIntCallback: OTF2_GlobalSnapReaderCallback_ParameterUnsignedInt,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalSnapReader_SetCallbacks(
        reader: *mut OTF2_GlobalSnapReader,
        callbacks: *const OTF2_GlobalSnapReaderCallbacks,
        userData: *mut ::core::ffi::c_void,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_GlobalSnapReader_ReadSnapshots(
        reader: *mut OTF2_GlobalSnapReader,
        recordsToRead: u64,
        recordsRead: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_ThumbReader_GetHeader(
        reader: *mut OTF2_ThumbReader,
        name: *mut *mut ::core::ffi::c_char,
        description: *mut *mut ::core::ffi::c_char,
        type_: *mut OTF2_ThumbnailType,
        numberOfSamples: *mut u32,
        numberOfMetrics: *mut u32,
        refsToDefs: *mut *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_ThumbReader_ReadSample(
        reader: *mut OTF2_ThumbReader,
        baseline: *mut u64,
        numberOfMetrics: u32,
        metricSamples: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_ThumbWriter_WriteSample(
        writer: *mut OTF2_ThumbWriter,
        baseline: u64,
        numberOfMetrics: u32,
        metricSamples: *const u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_MarkerWriter_WriteDefMarker(
        writerHandle: *mut OTF2_MarkerWriter,
        self_: OTF2_MarkerRef,
        markerGroup: *const ::core::ffi::c_char,
        markerCategory: *const ::core::ffi::c_char,
        severity: OTF2_MarkerSeverity,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_MarkerWriter_WriteMarker(
        writerHandle: *mut OTF2_MarkerWriter,
        timestamp: OTF2_TimeStamp,
        duration: OTF2_TimeStamp,
        marker: OTF2_MarkerRef,
        scope: OTF2_MarkerScope,
        scopeRef: u64,
        text: *const ::core::ffi::c_char,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_MarkerReaderCallbacks_New() -> *mut OTF2_MarkerReaderCallbacks;
    pub fn OTF2_MarkerReaderCallbacks_Delete(
        markerReaderCallbacks: *mut OTF2_MarkerReaderCallbacks,
    );
    pub fn OTF2_MarkerReaderCallbacks_Clear(
        markerReaderCallbacks: *mut OTF2_MarkerReaderCallbacks,
    );
    pub fn OTF2_MarkerReaderCallbacks_SetUnknownCallback(
        markerReaderCallbacks: *mut OTF2_MarkerReaderCallbacks,
        unknownCallback: OTF2_MarkerReaderCallback_Unknown,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_MarkerReaderCallbacks_SetDefMarkerCallback(
        markerReaderCallbacks: *mut OTF2_MarkerReaderCallbacks,
        defMarkerCallback: OTF2_MarkerReaderCallback_DefMarker,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_MarkerReaderCallbacks_SetMarkerCallback(
        markerReaderCallbacks: *mut OTF2_MarkerReaderCallbacks,
        markerCallback: OTF2_MarkerReaderCallback_Marker,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_MarkerReader_ReadMarkers(
        reader: *mut OTF2_MarkerReader,
        recordsToRead: u64,
        recordsRead: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_MarkerReader_SetCallbacks(
        reader: *mut OTF2_MarkerReader,
        callbacks: *const OTF2_MarkerReaderCallbacks,
        userData: *mut ::core::ffi::c_void,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_Open(
        archivePath: *const ::core::ffi::c_char,
        archiveName: *const ::core::ffi::c_char,
        fileMode: OTF2_FileMode,
        chunkSizeEvents: u64,
        chunkSizeDefs: u64,
        fileSubstrate: OTF2_FileSubstrate,
        compression: OTF2_Compression,
    ) -> *mut OTF2_Archive;
    pub fn OTF2_Archive_Close(archive: *mut OTF2_Archive) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_SwitchFileMode(
        archive: *mut OTF2_Archive,
        newFileMode: OTF2_FileMode,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_SetDefChunkSize(
        archive: *mut OTF2_Archive,
        chunkSize: u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_SetMachineName(
        archive: *mut OTF2_Archive,
        machineName: *const ::core::ffi::c_char,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_SetDescription(
        archive: *mut OTF2_Archive,
        description: *const ::core::ffi::c_char,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_SetCreator(
        archive: *mut OTF2_Archive,
        creator: *const ::core::ffi::c_char,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_SetFlushCallbacks(
        archive: *mut OTF2_Archive,
        flushCallbacks: *const OTF2_FlushCallbacks,
        flushData: *mut ::core::ffi::c_void,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_SetMemoryCallbacks(
        archive: *mut OTF2_Archive,
        memoryCallbacks: *const OTF2_MemoryCallbacks,
        memoryData: *mut ::core::ffi::c_void,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_SetCollectiveCallbacks(
        archive: *mut OTF2_Archive,
        collectiveCallbacks: *const OTF2_CollectiveCallbacks,
        collectiveData: *mut ::core::ffi::c_void,
        globalCommContext: *mut OTF2_CollectiveContext,
        localCommContext: *mut OTF2_CollectiveContext,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_SetSerialCollectiveCallbacks(
        archive: *mut OTF2_Archive,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_IsPrimary(
        archive: *mut OTF2_Archive,
        result: *mut bool,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_IsMaster(
        archive: *mut OTF2_Archive,
        result: *mut bool,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_SetLockingCallbacks(
        archive: *mut OTF2_Archive,
        lockingCallbacks: *const OTF2_LockingCallbacks,
        lockingData: *mut ::core::ffi::c_void,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_SetHint(
        archive: *mut OTF2_Archive,
        hint: OTF2_Hint,
        value: *mut ::core::ffi::c_void,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_SetProperty(
        archive: *mut OTF2_Archive,
        name: *const ::core::ffi::c_char,
        value: *const ::core::ffi::c_char,
        overwrite: bool,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_SetBoolProperty(
        archive: *mut OTF2_Archive,
        name: *const ::core::ffi::c_char,
        value: bool,
        overwrite: bool,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_GetPropertyNames(
        archive: *mut OTF2_Archive,
        numberOfProperties: *mut u32,
        names: *mut *mut *mut ::core::ffi::c_char,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_GetProperty(
        archive: *mut OTF2_Archive,
        name: *const ::core::ffi::c_char,
        value: *mut *mut ::core::ffi::c_char,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_GetTraceId(
        archive: *mut OTF2_Archive,
        id: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_GetNumberOfLocations(
        archive: *mut OTF2_Archive,
        numberOfLocations: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_GetNumberOfGlobalDefinitions(
        archive: *mut OTF2_Archive,
        numberOfDefinitions: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_GetMachineName(
        archive: *mut OTF2_Archive,
        machineName: *mut *mut ::core::ffi::c_char,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_GetDescription(
        archive: *mut OTF2_Archive,
        description: *mut *mut ::core::ffi::c_char,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_GetCreator(
        archive: *mut OTF2_Archive,
        creator: *mut *mut ::core::ffi::c_char,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_GetVersion(
        archive: *mut OTF2_Archive,
        major: *mut u8,
        minor: *mut u8,
        bugfix: *mut u8,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_GetChunkSize(
        archive: *mut OTF2_Archive,
        chunkSizeEvents: *mut u64,
        chunkSizeDefs: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_GetFileSubstrate(
        archive: *mut OTF2_Archive,
        substrate: *mut OTF2_FileSubstrate,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_GetCompression(
        archive: *mut OTF2_Archive,
        compression: *mut OTF2_Compression,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_GetEvtWriter(
        archive: *mut OTF2_Archive,
        location: OTF2_LocationRef,
    ) -> *mut OTF2_EvtWriter;
    pub fn OTF2_Archive_GetDefWriter(
        archive: *mut OTF2_Archive,
        location: OTF2_LocationRef,
    ) -> *mut OTF2_DefWriter;
    pub fn OTF2_Archive_GetGlobalDefWriter(
        archive: *mut OTF2_Archive,
    ) -> *mut OTF2_GlobalDefWriter;
    pub fn OTF2_Archive_GetSnapWriter(
        archive: *mut OTF2_Archive,
        location: OTF2_LocationRef,
    ) -> *mut OTF2_SnapWriter;
    pub fn OTF2_Archive_GetThumbWriter(
        archive: *mut OTF2_Archive,
        name: *const ::core::ffi::c_char,
        description: *const ::core::ffi::c_char,
        type_: OTF2_ThumbnailType,
        numberOfSamples: u32,
        numberOfMetrics: u32,
        refsToDefs: *const u64,
    ) -> *mut OTF2_ThumbWriter;
    pub fn OTF2_Archive_GetMarkerWriter(
        archive: *mut OTF2_Archive,
    ) -> *mut OTF2_MarkerWriter;
    pub fn OTF2_Archive_GetEvtReader(
        archive: *mut OTF2_Archive,
        location: OTF2_LocationRef,
    ) -> *mut OTF2_EvtReader;
    pub fn OTF2_Archive_GetGlobalEvtReader(
        archive: *mut OTF2_Archive,
    ) -> *mut OTF2_GlobalEvtReader;
    pub fn OTF2_Archive_GetDefReader(
        archive: *mut OTF2_Archive,
        location: OTF2_LocationRef,
    ) -> *mut OTF2_DefReader;
    pub fn OTF2_Archive_GetGlobalDefReader(
        archive: *mut OTF2_Archive,
    ) -> *mut OTF2_GlobalDefReader;
    pub fn OTF2_Archive_GetSnapReader(
        archive: *mut OTF2_Archive,
        location: OTF2_LocationRef,
    ) -> *mut OTF2_SnapReader;
    pub fn OTF2_Archive_GetGlobalSnapReader(
        archive: *mut OTF2_Archive,
    ) -> *mut OTF2_GlobalSnapReader;
    pub fn OTF2_Archive_GetThumbReader(
        archive: *mut OTF2_Archive,
        number: u32,
    ) -> *mut OTF2_ThumbReader;
    pub fn OTF2_Archive_GetMarkerReader(
        archive: *mut OTF2_Archive,
    ) -> *mut OTF2_MarkerReader;
    pub fn OTF2_Archive_CloseEvtWriter(
        archive: *mut OTF2_Archive,
        writer: *mut OTF2_EvtWriter,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_CloseDefWriter(
        archive: *mut OTF2_Archive,
        writer: *mut OTF2_DefWriter,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_CloseMarkerWriter(
        archive: *mut OTF2_Archive,
        writer: *mut OTF2_MarkerWriter,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_CloseSnapWriter(
        archive: *mut OTF2_Archive,
        writer: *mut OTF2_SnapWriter,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_CloseGlobalDefWriter(
        archive: *mut OTF2_Archive,
        writer: *mut OTF2_GlobalDefWriter,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_CloseEvtReader(
        archive: *mut OTF2_Archive,
        reader: *mut OTF2_EvtReader,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_CloseThumbReader(
        archive: *mut OTF2_Archive,
        reader: *mut OTF2_ThumbReader,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_CloseGlobalEvtReader(
        archive: *mut OTF2_Archive,
        globalEvtReader: *mut OTF2_GlobalEvtReader,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_CloseDefReader(
        archive: *mut OTF2_Archive,
        reader: *mut OTF2_DefReader,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_CloseGlobalDefReader(
        archive: *mut OTF2_Archive,
        globalDefReader: *mut OTF2_GlobalDefReader,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_CloseSnapReader(
        archive: *mut OTF2_Archive,
        reader: *mut OTF2_SnapReader,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_CloseGlobalSnapReader(
        archive: *mut OTF2_Archive,
        globalSnapReader: *mut OTF2_GlobalSnapReader,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_CloseMarkerReader(
        archive: *mut OTF2_Archive,
        markerReader: *mut OTF2_MarkerReader,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_GetNumberOfThumbnails(
        archive: *mut OTF2_Archive,
        number: *mut u32,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_SetNumberOfSnapshots(
        archive: *mut OTF2_Archive,
        number: u32,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_GetNumberOfSnapshots(
        archive: *mut OTF2_Archive,
        number: *mut u32,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_OpenEvtFiles(archive: *mut OTF2_Archive) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_CloseEvtFiles(archive: *mut OTF2_Archive) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_OpenDefFiles(archive: *mut OTF2_Archive) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_CloseDefFiles(archive: *mut OTF2_Archive) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_OpenSnapFiles(archive: *mut OTF2_Archive) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_CloseSnapFiles(archive: *mut OTF2_Archive) -> OTF2_ErrorCode;
    pub fn OTF2_Archive_SelectLocation(
        archive: *mut OTF2_Archive,
        location: OTF2_LocationRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_Open(
        anchorFilePath: *const ::core::ffi::c_char,
    ) -> *mut OTF2_Reader;
    pub fn OTF2_Reader_Close(reader: *mut OTF2_Reader) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_SetHint(
        reader: *mut OTF2_Reader,
        hint: OTF2_Hint,
        value: *mut ::core::ffi::c_void,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_SetCollectiveCallbacks(
        reader: *mut OTF2_Reader,
        collectiveCallbacks: *const OTF2_CollectiveCallbacks,
        collectiveData: *mut ::core::ffi::c_void,
        globalCommContext: *mut OTF2_CollectiveContext,
        localCommContext: *mut OTF2_CollectiveContext,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_SetSerialCollectiveCallbacks(
        reader: *mut OTF2_Reader,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_SetLockingCallbacks(
        reader: *mut OTF2_Reader,
        lockingCallbacks: *const OTF2_LockingCallbacks,
        lockingData: *mut ::core::ffi::c_void,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_RegisterEvtCallbacks(
        reader: *mut OTF2_Reader,
        evtReader: *mut OTF2_EvtReader,
        callbacks: *const OTF2_EvtReaderCallbacks,
        userData: *mut ::core::ffi::c_void,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_RegisterGlobalEvtCallbacks(
        reader: *mut OTF2_Reader,
        evtReader: *mut OTF2_GlobalEvtReader,
        callbacks: *const OTF2_GlobalEvtReaderCallbacks,
        userData: *mut ::core::ffi::c_void,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_RegisterDefCallbacks(
        reader: *mut OTF2_Reader,
        defReader: *mut OTF2_DefReader,
        callbacks: *const OTF2_DefReaderCallbacks,
        userData: *mut ::core::ffi::c_void,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_RegisterGlobalDefCallbacks(
        reader: *mut OTF2_Reader,
        defReader: *mut OTF2_GlobalDefReader,
        callbacks: *const OTF2_GlobalDefReaderCallbacks,
        userData: *mut ::core::ffi::c_void,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_RegisterSnapCallbacks(
        reader: *mut OTF2_Reader,
        snapReader: *mut OTF2_SnapReader,
        callbacks: *const OTF2_SnapReaderCallbacks,
        userData: *mut ::core::ffi::c_void,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_RegisterGlobalSnapCallbacks(
        reader: *mut OTF2_Reader,
        evtReader: *mut OTF2_GlobalSnapReader,
        callbacks: *const OTF2_GlobalSnapReaderCallbacks,
        userData: *mut ::core::ffi::c_void,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_RegisterMarkerCallbacks(
        reader: *mut OTF2_Reader,
        markerReader: *mut OTF2_MarkerReader,
        callbacks: *const OTF2_MarkerReaderCallbacks,
        userData: *mut ::core::ffi::c_void,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_ReadLocalEvents(
        reader: *mut OTF2_Reader,
        evtReader: *mut OTF2_EvtReader,
        eventsToRead: u64,
        eventsRead: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_ReadAllLocalEvents(
        reader: *mut OTF2_Reader,
        evtReader: *mut OTF2_EvtReader,
        eventsRead: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_ReadLocalEventsBackward(
        reader: *mut OTF2_Reader,
        evtReader: *mut OTF2_EvtReader,
        eventsToRead: u64,
        eventsRead: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_ReadGlobalEvent(
        reader: *mut OTF2_Reader,
        evtReader: *mut OTF2_GlobalEvtReader,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_HasGlobalEvent(
        reader: *mut OTF2_Reader,
        evtReader: *mut OTF2_GlobalEvtReader,
        flag: *mut ::core::ffi::c_int,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_ReadGlobalEvents(
        reader: *mut OTF2_Reader,
        evtReader: *mut OTF2_GlobalEvtReader,
        eventsToRead: u64,
        eventsRead: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_ReadAllGlobalEvents(
        reader: *mut OTF2_Reader,
        evtReader: *mut OTF2_GlobalEvtReader,
        eventsRead: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_ReadLocalDefinitions(
        reader: *mut OTF2_Reader,
        defReader: *mut OTF2_DefReader,
        definitionsToRead: u64,
        definitionsRead: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_ReadAllLocalDefinitions(
        reader: *mut OTF2_Reader,
        defReader: *mut OTF2_DefReader,
        definitionsRead: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_ReadGlobalDefinitions(
        reader: *mut OTF2_Reader,
        defReader: *mut OTF2_GlobalDefReader,
        definitionsToRead: u64,
        definitionsRead: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_ReadAllGlobalDefinitions(
        reader: *mut OTF2_Reader,
        defReader: *mut OTF2_GlobalDefReader,
        definitionsRead: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_ReadLocalSnapshots(
        reader: *mut OTF2_Reader,
        snapReader: *mut OTF2_SnapReader,
        recordsToRead: u64,
        recordsRead: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_ReadAllLocalSnapshots(
        reader: *mut OTF2_Reader,
        snapReader: *mut OTF2_SnapReader,
        recordsRead: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_ReadGlobalSnapshots(
        reader: *mut OTF2_Reader,
        snapReader: *mut OTF2_GlobalSnapReader,
        recordsToRead: u64,
        recordsRead: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_ReadAllGlobalSnapshots(
        reader: *mut OTF2_Reader,
        snapReader: *mut OTF2_GlobalSnapReader,
        recordsRead: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_ReadMarkers(
        reader: *mut OTF2_Reader,
        markerReader: *mut OTF2_MarkerReader,
        markersToRead: u64,
        markersRead: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_ReadAllMarkers(
        reader: *mut OTF2_Reader,
        markerReader: *mut OTF2_MarkerReader,
        markersRead: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_GetEvtReader(
        reader: *mut OTF2_Reader,
        location: OTF2_LocationRef,
    ) -> *mut OTF2_EvtReader;
    pub fn OTF2_Reader_GetGlobalEvtReader(
        reader: *mut OTF2_Reader,
    ) -> *mut OTF2_GlobalEvtReader;
    pub fn OTF2_Reader_GetDefReader(
        reader: *mut OTF2_Reader,
        location: OTF2_LocationRef,
    ) -> *mut OTF2_DefReader;
    pub fn OTF2_Reader_GetGlobalDefReader(
        reader: *mut OTF2_Reader,
    ) -> *mut OTF2_GlobalDefReader;
    pub fn OTF2_Reader_GetSnapReader(
        reader: *mut OTF2_Reader,
        location: OTF2_LocationRef,
    ) -> *mut OTF2_SnapReader;
    pub fn OTF2_Reader_GetGlobalSnapReader(
        reader: *mut OTF2_Reader,
    ) -> *mut OTF2_GlobalSnapReader;
    pub fn OTF2_Reader_GetThumbReader(
        reader: *mut OTF2_Reader,
        number: u32,
    ) -> *mut OTF2_ThumbReader;
    pub fn OTF2_Reader_GetMarkerReader(
        reader: *mut OTF2_Reader,
    ) -> *mut OTF2_MarkerReader;
    pub fn OTF2_Reader_GetMarkerWriter(
        reader: *mut OTF2_Reader,
    ) -> *mut OTF2_MarkerWriter;
    pub fn OTF2_Reader_CloseEvtReader(
        reader: *mut OTF2_Reader,
        evtReader: *mut OTF2_EvtReader,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_CloseGlobalEvtReader(
        reader: *mut OTF2_Reader,
        globalEvtReader: *mut OTF2_GlobalEvtReader,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_CloseDefReader(
        reader: *mut OTF2_Reader,
        defReader: *mut OTF2_DefReader,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_CloseGlobalDefReader(
        reader: *mut OTF2_Reader,
        globalDefReader: *mut OTF2_GlobalDefReader,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_CloseSnapReader(
        reader: *mut OTF2_Reader,
        snapReader: *mut OTF2_SnapReader,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_CloseGlobalSnapReader(
        reader: *mut OTF2_Reader,
        globalSnapReader: *mut OTF2_GlobalSnapReader,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_CloseThumbReader(
        reader: *mut OTF2_Reader,
        thumbReader: *mut OTF2_ThumbReader,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_CloseMarkerReader(
        reader: *mut OTF2_Reader,
        markerReader: *mut OTF2_MarkerReader,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_CloseMarkerWriter(
        reader: *mut OTF2_Reader,
        markerWriter: *mut OTF2_MarkerWriter,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_GetVersion(
        reader: *mut OTF2_Reader,
        major: *mut u8,
        minor: *mut u8,
        bugfix: *mut u8,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_GetChunkSize(
        reader: *mut OTF2_Reader,
        chunkSizeEvents: *mut u64,
        chunkSizeDefinitions: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_GetFileSubstrate(
        reader: *mut OTF2_Reader,
        substrate: *mut OTF2_FileSubstrate,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_GetCompression(
        reader: *mut OTF2_Reader,
        compression: *mut OTF2_Compression,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_GetNumberOfLocations(
        reader: *mut OTF2_Reader,
        numberOfLocations: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_GetNumberOfGlobalDefinitions(
        reader: *mut OTF2_Reader,
        numberOfDefinitions: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_GetMachineName(
        reader: *mut OTF2_Reader,
        machineName: *mut *mut ::core::ffi::c_char,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_GetCreator(
        reader: *mut OTF2_Reader,
        creator: *mut *mut ::core::ffi::c_char,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_GetDescription(
        reader: *mut OTF2_Reader,
        description: *mut *mut ::core::ffi::c_char,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_GetPropertyNames(
        reader: *mut OTF2_Reader,
        numberOfProperties: *mut u32,
        names: *mut *mut *mut ::core::ffi::c_char,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_GetProperty(
        reader: *mut OTF2_Reader,
        name: *const ::core::ffi::c_char,
        value: *mut *mut ::core::ffi::c_char,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_GetBoolProperty(
        reader: *mut OTF2_Reader,
        name: *const ::core::ffi::c_char,
        value: *mut bool,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_GetTraceId(
        reader: *mut OTF2_Reader,
        id: *mut u64,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_GetNumberOfSnapshots(
        reader: *mut OTF2_Reader,
        number: *mut u32,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_GetNumberOfThumbnails(
        reader: *mut OTF2_Reader,
        number: *mut u32,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_OpenEvtFiles(reader: *mut OTF2_Reader) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_CloseEvtFiles(reader: *mut OTF2_Reader) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_OpenDefFiles(reader: *mut OTF2_Reader) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_CloseDefFiles(reader: *mut OTF2_Reader) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_OpenSnapFiles(reader: *mut OTF2_Reader) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_CloseSnapFiles(reader: *mut OTF2_Reader) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_SelectLocation(
        reader: *mut OTF2_Reader,
        location: OTF2_LocationRef,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_IsPrimary(
        reader: *mut OTF2_Reader,
        result: *mut bool,
    ) -> OTF2_ErrorCode;
    pub fn OTF2_Reader_IsMaster(
        reader: *mut OTF2_Reader,
        result: *mut bool,
    ) -> OTF2_ErrorCode;
}
