package io.volute.server;

import io.volute.adminapi.AuditTotals;
import io.volute.storage.report.CheckReport;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.value.BucketLock;
import io.volute.versioning.value.BucketName;
import io.volute.versioning.value.ObjectKey;

/**
 * Every fixed bound that a client can meet; a test holds docs/reference/limits.md to it. Names end
 * with their unit, then MAX or MIN. Settings bound the rest. The object store defines its own
 * bounds, which are only named here.
 */
public final class Limits {
    private Limits() {}

    // ---- HTTP: ours

    /** Bytes of a request line without its line end. */
    public static final int REQUEST_LINE_BYTES_MAX = 8 * 1024;

    /** Bytes of all header lines of a request, line ends included. */
    public static final int HEADER_BYTES_MAX = 16 * 1024;

    /** Header fields of a request. */
    public static final int HEADER_COUNT_MAX = 100;

    /** Parameters of a query; far above what any S3 request has. */
    public static final int QUERY_PARAMETERS_MAX = 100;

    /** Bytes that one read from a socket delivers at most. */
    public static final int READ_BYTES_MAX = 128 * 1024;

    /** Body bytes waiting in memory for the thread that handles a request. */
    public static final int BODY_QUEUE_BYTES_MAX = 384 * 1024;

    /** Buffers of a response that may be on their way to the socket at once. */
    public static final int RESPONSE_BUFFERS_MAX = 3;

    /** Unread body bytes that are swallowed to keep a connection alive. */
    public static final int DRAIN_BYTES_MAX = 1024 * 1024;

    /** Excess connections at one time that get an answer before they are closed. */
    public static final int REFUSALS_MAX = 64;

    /** Extensions in a binary header of the PROXY protocol. */
    public static final int PROXY_HEADER_BYTES_MAX = 4 * 1024;

    /** Connections that wait for being accepted. */
    public static final int BACKLOG_MAX = 1024;

    /** Requests of the root at once beyond those of everybody. */
    public static final int REQUESTS_OF_ROOT_MAX = 64;

    /** Heap for documents and answers of the root beyond that of everybody. */
    public static final long ROOT_HEAP_BYTES_MAX = 16L << 20;

    /** Bytes of an answer for which no heap is reserved. */
    public static final int SMALL_ANSWER_BYTES_MAX = 4 * 1024;

    /** Rate of a client that takes an answer, bytes a second, when requests wait for heap. */
    public static final int READER_RATE_BYTES_MIN = 32 * 1024;

    // ---- time: ours

    /** Seconds for which what a client still sends is swallowed before a connection is closed. */
    public static final int LINGER_SECONDS_MAX = 2;

    // ---- signatures

    /** Seconds by which clocks may differ. S3 API Reference, "Authenticating Requests". */
    public static final int CLOCK_SKEW_SECONDS_MAX = 900;

    /** Seconds for which a presigned URL is good. S3 API Reference, "Query Parameters". */
    public static final int PRESIGN_SECONDS_MAX = 604_800;

    /** Names in SignedHeaders: as many as there may be headers. Ours. */
    public static final int SIGNED_HEADERS_MAX = HEADER_COUNT_MAX;

    /** Bytes of a line between the chunks of {@code aws-chunked}, or of a trailer. Ours. */
    public static final int CHUNK_LINE_BYTES_MAX = 256;

    /** Trailers behind the last chunk of {@code aws-chunked}; clients send at most four. Ours. */
    public static final int TRAILERS_MAX = 16;

    /** Derived signing keys that are remembered, one for each access key. Ours. */
    public static final int SIGNING_KEYS_MAX = 1024;

    /** Signatures that fail in a row for one access key from one address. Ours. */
    public static final int FAILED_SIGNATURES_MAX = 20;

    /** Seconds after which one of them is forgotten. Ours. */
    public static final int FAILED_SIGNATURE_SECONDS = 5;

    /** Signatures that fail in a row from one address; one is forgotten each second. Ours. */
    public static final int FAILED_SIGNATURES_OF_ADDRESS_MAX = 100;

    /** Signatures that fail in a row for one access key; one is forgotten each second. Ours. */
    public static final int FAILED_SIGNATURES_OF_KEY_MAX = 100;

    /** Seconds for which an access key that was used well from an address is not refused there. */
    public static final int KNOWN_CALLER_SECONDS = 3600;

    // ---- objects: S3's

    /** UTF-8 bytes of a key. S3 User Guide, "Naming Amazon S3 objects". */
    public static final int KEY_BYTES_MAX = ObjectKey.BYTES_MAX;

    /** Characters of a bucket's name. S3 User Guide, "General purpose bucket naming rules". */
    public static final int BUCKET_NAME_CHARS_MAX = BucketName.CHARS_MAX;

    /** Buckets of a store. S3 User Guide, "Bucket quotas, limitations, and restrictions". */
    public static final int BUCKETS_MAX = StoreOptions.Limits.S3.bucketsMax();

    /** Bytes of a single PUT, of a copy, and of a part. S3 API Reference, "PutObject". */
    public static final long PUT_BYTES_MAX = StoreOptions.Limits.S3.partBytesMax();

    /** Bytes of a part that is not the last. S3 User Guide, "Multipart upload limits". */
    public static final long PART_BYTES_MIN = StoreOptions.Limits.S3.partBytesMin();

    /** Parts of an upload, and the greatest number. S3 User Guide, "Multipart upload limits". */
    public static final int PARTS_MAX = StoreOptions.Limits.PARTS_MAX;

    /** Bytes of an object. S3 User Guide, "Multipart upload limits". */
    public static final long OBJECT_BYTES_MAX = StoreOptions.Limits.S3.objectBytesMax();

    /** Bytes of user metadata. S3 User Guide, "Working with object metadata". */
    public static final int USER_METADATA_BYTES_MAX = 2048;

    /** Tags of an object. S3 User Guide, "Categorizing your storage using tags". */
    public static final int TAGS_MAX = 10;

    /** Characters of a tag's key. S3 User Guide, "Categorizing your storage using tags". */
    public static final int TAG_KEY_CHARS_MAX = 128;

    /** Characters of a tag's value. S3 User Guide, "Categorizing your storage using tags". */
    public static final int TAG_VALUE_CHARS_MAX = 256;

    /** Most entries in a page of a listing. S3 API Reference, "ListObjectsV2". */
    public static final int PAGE_ENTRIES_MAX = StoreOptions.Limits.PAGE_ENTRIES_MAX;

    /** Buckets of a page. S3 API Reference, "ListBuckets". */
    public static final int BUCKETS_PAGE_MAX = 10_000;

    /** Keys of one request. S3 API Reference, "DeleteObjects". */
    public static final int DELETE_KEYS_MAX = StoreOptions.Limits.DELETE_KEYS_MAX;

    /** Days, or years, that the default retention of a bucket lasts. */
    public static final int LOCK_DAYS_MAX = BucketLock.LOCK_DAYS_MAX;

    public static final int LOCK_YEARS_MAX = BucketLock.LOCK_YEARS_MAX;

    /** Characters of the name in {@code x-volute-actor}. Ours. */
    public static final int ACTOR_CHARS_MAX = 128;

    // ---- documents: ours

    /** Bytes of a request document in general. */
    public static final int XML_BYTES_MAX = 1 << 20;

    /** Bytes of DeleteObjects: 1,000 keys of 1,024 bytes, escaped. */
    public static final int DELETE_XML_BYTES_MAX = 2 << 20;

    /** Bytes of CompleteMultipartUpload: 10,000 parts with ETag and every checksum. */
    public static final int COMPLETE_XML_BYTES_MAX = 6 << 20;

    /** Heap bytes for each byte of a document: its buffer, and what it is parsed to. */
    public static final int DOCUMENT_WEIGHT = 8;

    /**
     * Bytes of a document for each of its elements at least: {@code <ETag/>} is 7. It bounds the
     * heap that a parsed document needs.
     */
    public static final int XML_ELEMENT_BYTES_MIN = 7;

    /** Elements of a document in general. */
    public static final int XML_ELEMENTS_MAX = 10_000;

    /** Elements of CompleteMultipartUpload: 10,000 parts with ETag, number and every checksum. */
    public static final int COMPLETE_XML_ELEMENTS_MAX = 90_000;

    /** Elements within one another. */
    public static final int XML_DEPTH_MAX = 16;

    /** Characters of the text of an element. */
    public static final int XML_TEXT_CHARS_MAX = 16 * 1024;

    /** Attributes of an element. */
    public static final int XML_ATTRIBUTES_MAX = 16;

    /** Characters of an attribute's value. */
    public static final int XML_ATTRIBUTE_CHARS_MAX = 1024;

    // ---- policies

    /** Bytes of a policy of a bucket. S3 User Guide, "Policies and permissions". */
    public static final int POLICY_BYTES_MAX = 20 * 1024;

    /** Chunks of a body whose hashes are kept in memory while it arrives, about 100 bytes each. */
    public static final int HASHED_CHUNKS_MAX = 2048;

    /** Bytes of a form besides its file, as S3 has it. */
    public static final int FORM_FIELDS_BYTES_MAX = 20 * 1024;

    /** Bytes of a configuration of a bucket, as sent and as stored, as S3 has it for CORS. */
    public static final int BUCKET_DOCUMENT_BYTES_MAX = 64 * 1024;

    /** Bytes of a lifecycle or replication configuration: 1,000 rules of 1,048 bytes. */
    public static final int RULES_DOCUMENT_BYTES_MAX = 1 << 20;

    /** Elements of such a configuration: 1,000 rules of 50 elements. */
    public static final int RULES_XML_ELEMENTS_MAX = 51_000;

    /** Rules in a CORS configuration, as S3 has it. */
    public static final int CORS_RULES_MAX = 100;

    /** Rules in a lifecycle configuration, as S3 has it. */
    public static final int LIFECYCLE_RULES_MAX = 1000;

    /** Noncurrent versions that a lifecycle rule can keep in any case, as S3 has it. */
    public static final int NEWER_VERSIONS_MAX = 100;

    /** Characters of the id of a rule, as S3 has it. */
    public static final int RULE_ID_CHARS_MAX = 255;

    /** Tags of a bucket, as S3 has it. */
    public static final int BUCKET_TAGS_MAX = 50;

    /** Characters of a policy of a user, group or role. IAM User Guide, "IAM quotas". */
    public static final int IDENTITY_POLICY_CHARS_MAX = 6144;

    /** Characters of the policy of a session. STS API Reference, "AssumeRole". */
    public static final int SESSION_POLICY_CHARS_MAX = 2048;

    /** Users, and as many groups, roles and policies. Ours. */
    public static final int IDENTITIES_MAX = 5000;

    /** Access keys of a user. Ours; IAM has two. */
    public static final int USER_KEYS_MAX = 16;

    /** Policies that one user, group or role has to itself. Ours. */
    public static final int INLINE_POLICIES_MAX = 16;

    /** Bytes of the rows of all users, groups, roles, policies and keys, as stored. Ours. */
    public static final long IDENTITY_ROWS_BYTES_MAX = 64L << 20;

    /** Bytes of a form that calls IAM or STS. Ours; encoded policies fit. */
    public static final int QUERY_FORM_BYTES_MAX = 64 * 1024;

    /** Default of the seconds for which a session of GetSessionToken is good. */
    public static final int SESSION_SECONDS_DEFAULT = 43_200;

    /** Seconds for which a session is good. STS API Reference, "GetSessionToken". */
    public static final int SESSION_TOKEN_SECONDS_MAX = 129_600;

    /** Default of the seconds for which a session of AssumeRole is good. */
    public static final int ROLE_SECONDS_DEFAULT = 3600;

    /** Seconds for which such a session is good. STS API Reference, "AssumeRole". */
    public static final int ROLE_SECONDS_MAX = 43_200;

    /** Heap bytes of the policies that are kept as they were read. Ours. */
    public static final int POLICIES_READ_BYTES_MAX = 16 << 20;

    /** Steps of about one compared character for one request: about 0.1 s. Ours. */
    public static final int POLICY_STEPS_MAX = 50_000_000;

    /** Characters of a value that a policy compares: a percent-encoded copy source. Ours. */
    public static final int POLICY_VALUE_CHARS_MAX = 4096;

    // ---- metrics, logs and traces: ours

    /** Users that have figures of their own; those beyond share one. */
    public static final int METERED_USERS_MAX = 100;

    /** Connections to the listener of metrics at once. */
    public static final int METRICS_CONNECTIONS_MAX = 64;

    /** Bytes of buffers of that listener. */
    public static final long METRICS_BUFFER_BYTES_MAX = 1 << 20;

    /** Lines that wait to be written; what comes beyond is counted only. */
    public static final int ACCESS_LOG_LINES_MAX = 8192;

    /** Bytes of them, about: lines are short, but clients can make them long. */
    public static final int ACCESS_LOG_WAITING_BYTES_MAX = 8 << 20;

    /** Characters of each text that a line has of a client's. */
    public static final int ACCESS_LOG_TEXT_CHARS_MAX = 1024;

    /** Seconds that a stop waits for lines to be written. */
    public static final int ACCESS_LOG_STOP_SECONDS_MAX = 5;

    /** Spans that wait to be sent, or are on their way; those of requests beyond are counted. */
    public static final int TRACE_SPANS_MAX = 4096;

    /** Stages of a request that its trace has. */
    public static final int TRACE_STAGES_MAX = 32;

    /** Characters of a bucket's name in a span. */
    public static final int TRACE_BUCKET_CHARS_MAX = 128;

    /** Seconds that a stop waits for spans to be sent. */
    public static final int TRACE_STOP_SECONDS_MAX = 5;

    /** Characters of each text that a line has of a request's; of longer ones there is a hash. */
    public static final int AUDIT_LOG_TEXT_CHARS_MAX = 1024;

    /** Most bytes of a request's details in one line; larger details are replaced by a hash. */
    public static final int AUDIT_LOG_DETAILS_BYTES_MAX = 16 * 1024;

    /** Most kinds of refusals that the line of a minute lists separately. */
    public static final int AUDIT_LOG_REFUSALS_MAX = 24;

    /** Lines that one pass of the scrub adds; how many more there were is one line. */
    public static final int AUDIT_LOG_DAMAGES_MAX = 100;

    /** Minutes between two seals, when there are new lines. */
    public static final int AUDIT_LOG_SEAL_MINUTES = 10;

    // ---- admin API: ours

    /** Bytes of the document of a request: several keys, with every byte escaped. */
    public static final int ADMIN_BODY_BYTES_MAX = 16 * 1024;

    /** Entries of a page of history. */
    public static final int ADMIN_PAGE_MAX = 1000;

    /** Nodes of a trace of a caller who may only list versions: a page of it. */
    public static final int TRACE_NODES_MAX = 20_000;

    /** Failing keys of one destination bucket that replication holds one by one. */
    public static final int HELD_KEYS_OF_BUCKET_MAX = 100;

    /** Failing keys of a target: about 3 KiB each at most, since a key has at most 1,024 bytes. */
    public static final int HELD_KEYS_MAX = 2000;

    /** Failing destination buckets of a target: about 250 bytes each. */
    public static final int HELD_BUCKETS_MAX = 10_000;

    /** Actors, names, access keys and users of one undo: each is compared with all actors. */
    public static final int UNDO_SOURCES_MAX = 1000;

    /** Default rate of a check, bytes a second. */
    public static final long CHECK_RATE_BYTES_DEFAULT = 128L << 20;

    /** Slowest allowed rate of a check, bytes a second. */
    public static final long CHECK_RATE_BYTES_MIN = 1L << 20;

    /** Fastest allowed rate of a check, bytes a second. */
    public static final long CHECK_RATE_BYTES_MAX = 1L << 40;

    /** Most findings that the report of an audit lists; more are counted. */
    public static final int AUDIT_FINDINGS_MAX = AuditTotals.MOST_FINDINGS;

    /** Problems and findings of a scrub that are kept in words; more are counted. */
    public static final int SCRUB_FINDINGS_MAX = 100;

    /** Most problems that a check's report lists; more are counted. */
    public static final int CHECK_PROBLEMS_MAX = CheckReport.PROBLEMS_MAX;

    /** Longest time for which a decision about a body that is arriving holds. */
    public static final int DECISION_SECONDS_MAX = 5;
}
