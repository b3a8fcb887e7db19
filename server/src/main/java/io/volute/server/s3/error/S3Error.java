package io.volute.server.s3.error;

/** Errors of S3 with their status and text (S3 API Reference, "Error responses"). */
public enum S3Error {
    ACCESS_CONTROL_LIST_NOT_SUPPORTED(
            "AccessControlListNotSupported",
            400,
            "The bucket does not allow ACLs: only its owner has access, so x-amz-acl may be private"
                    + " or bucket-owner-full-control. The ownership controls of the bucket can"
                    + " enable ACLs."),
    ACCESS_DENIED("AccessDenied", 403, "Access Denied"),
    ACCESS_FORBIDDEN("AccessForbidden", 403, "Access Forbidden"),
    AUTHORIZATION_HEADER_MALFORMED(
            "AuthorizationHeaderMalformed", 400, "The authorization header is malformed."),
    AUTHORIZATION_QUERY_PARAMETERS_ERROR(
            "AuthorizationQueryParametersError",
            400,
            "The authorization query parameters are not valid."),
    BAD_DIGEST("BadDigest", 400, "The Content-MD5 you specified did not match what we received."),
    BAD_REQUEST("BadRequest", 400, "Bad Request"),
    BUCKET_ALREADY_EXISTS(
            "BucketAlreadyExists",
            409,
            "The requested bucket name is not available. Please select a different name and try"
                    + " again."),
    BUCKET_ALREADY_OWNED_BY_YOU(
            "BucketAlreadyOwnedByYou",
            409,
            "Your previous request to create the named bucket succeeded and you already own it."),
    BUCKET_NOT_EMPTY("BucketNotEmpty", 409, "The bucket you tried to delete is not empty"),
    BUCKET_STAYS_VERSIONED(
            "InvalidBucketState",
            409,
            "An Object Lock configuration is present on this bucket, so the versioning state cannot"
                    + " be changed."),
    CONDITIONAL_REQUEST_CONFLICT(
            "ConditionalRequestConflict",
            409,
            "The conditional request cannot succeed due to a conflicting operation against this"
                    + " resource."),
    ENTITY_TOO_LARGE(
            "EntityTooLarge", 400, "Your proposed upload exceeds the maximum allowed size"),
    ENTITY_TOO_SMALL(
            "EntityTooSmall", 400, "Your proposed upload is smaller than the minimum allowed size"),
    EXPIRED_TOKEN("ExpiredToken", 400, "The provided token has expired."),
    ILLEGAL_LOCATION_CONSTRAINT(
            "IllegalLocationConstraintException",
            400,
            "The location constraint is incompatible for the region specific endpoint this request"
                    + " was sent to."),
    INCOMPLETE_BODY(
            "IncompleteBody",
            400,
            "You did not provide the number of bytes specified by the Content-Length HTTP header"),
    INSUFFICIENT_STORAGE(
            "InsufficientStorage", 507, "The server has no space left for this request."),
    INTERNAL_ERROR("InternalError", 500, "We encountered an internal error. Please try again."),
    INVALID_ACCESS_KEY_ID(
            "InvalidAccessKeyId",
            403,
            "The AWS Access Key Id you provided does not exist in our records."),
    INVALID_ARGUMENT("InvalidArgument", 400, "Invalid Argument"),
    INVALID_BUCKET_ACL_WITH_OBJECT_OWNERSHIP(
            "InvalidBucketAclWithObjectOwnership",
            400,
            "Bucket cannot have ACLs set with ObjectOwnership's BucketOwnerEnforced setting"),
    INVALID_BUCKET_NAME("InvalidBucketName", 400, "The specified bucket is not valid."),
    INVALID_DIGEST("InvalidDigest", 400, "The Content-MD5 you specified was invalid."),
    INVALID_LOCATION_CONSTRAINT(
            "InvalidLocationConstraint", 400, "The specified location-constraint is not valid"),
    INVALID_PART(
            "InvalidPart",
            400,
            "One or more of the specified parts could not be found. The part may not have been"
                    + " uploaded, or the specified entity tag may not match the part's entity"
                    + " tag."),
    INVALID_PART_NUMBER("InvalidPartNumber", 416, "The requested partnumber is not satisfiable"),
    INVALID_PART_ORDER(
            "InvalidPartOrder",
            400,
            "The list of parts was not in ascending order. Parts must be ordered by part number."),
    INVALID_RANGE("InvalidRange", 416, "The requested range is not satisfiable"),
    INVALID_REDIRECT_LOCATION(
            "InvalidRedirectLocation",
            400,
            "The website redirect location must have a prefix of 'http://' or 'https://' or '/'."),
    INVALID_POLICY_DOCUMENT(
            "InvalidPolicyDocument",
            400,
            "The content of the form does not meet the conditions specified in the policy"
                    + " document."),
    INVALID_REQUEST("InvalidRequest", 400, "Invalid Request"),
    INVALID_STORAGE_CLASS(
            "InvalidStorageClass", 400, "The storage class you specified is not valid"),
    INVALID_TAG("InvalidTag", 400, "The tag provided was not a valid tag."),
    INVALID_TARGET_BUCKET_FOR_LOGGING(
            "InvalidTargetBucketForLogging",
            400,
            "The target bucket for logging does not exist, is not owned by you, or does not have"
                    + " the appropriate grants for the log-delivery group."),
    INVALID_TOKEN("InvalidToken", 400, "The provided token is malformed or otherwise invalid."),
    INVALID_URI("InvalidURI", 400, "Couldn't parse the specified URI."),
    KEY_TOO_LONG("KeyTooLongError", 400, "Your key is too long"),
    LOCK_NEEDS_VERSIONING(
            "InvalidBucketState",
            409,
            "Versioning must be 'Enabled' on the bucket to apply a Object Lock configuration"),
    KMS_INVALID_STATE(
            "KMS.KMSInvalidStateException", 400, "The key service refused the key of this object."),
    KMS_KEY_NOT_FOUND("KMS.NotFoundException", 400, "Invalid keyId"),
    MALFORMED_ACL(
            "MalformedACLError",
            400,
            "The XML you provided was not well-formed or did not validate against our published"
                    + " schema"),
    MALFORMED_POLICY("MalformedPolicy", 400, "This policy contains invalid Json or is no policy."),
    MALFORMED_TRAILER(
            "MalformedTrailerError",
            400,
            "The request contained trailing data that was not well-formed or did not conform to"
                    + " our published schema."),
    MALFORMED_POST_REQUEST(
            "MalformedPOSTRequest",
            400,
            "The body of your POST request is not well-formed multipart/form-data."),
    MALFORMED_XML(
            "MalformedXML",
            400,
            "The XML you provided was not well-formed or did not validate against our published"
                    + " schema"),
    MAX_MESSAGE_LENGTH_EXCEEDED("MaxMessageLengthExceeded", 400, "Your request was too large."),
    MAX_POST_PRE_DATA_LENGTH_EXCEEDED(
            "MaxPostPreDataLengthExceeded",
            400,
            "Your POST request fields preceding the upload file were too large."),
    METADATA_TOO_LARGE(
            "MetadataTooLarge",
            400,
            "Your metadata headers exceed the maximum allowed metadata size"),
    METHOD_NOT_ALLOWED(
            "MethodNotAllowed", 405, "The specified method is not allowed against this resource."),
    MISSING_CONTENT_LENGTH(
            "MissingContentLength", 411, "You must provide the Content-Length HTTP header."),
    MISSING_REQUEST_BODY("MissingRequestBodyError", 400, "Request body is empty."),
    MISSING_SECURITY_HEADER(
            "MissingSecurityHeader", 400, "Your request was missing a required header"),
    NO_OBJECT_LOCK("InvalidRequest", 400, "Bucket is missing Object Lock Configuration"),
    NO_SUCH_BUCKET("NoSuchBucket", 404, "The specified bucket does not exist"),
    NO_SUCH_BUCKET_POLICY("NoSuchBucketPolicy", 404, "The bucket policy does not exist"),
    NO_SUCH_CONFIGURATION(
            "NoSuchConfiguration", 404, "The specified configuration does not exist."),
    NO_SUCH_CORS_CONFIGURATION(
            "NoSuchCORSConfiguration", 404, "The CORS configuration does not exist"),
    NO_SUCH_KEY("NoSuchKey", 404, "The specified key does not exist."),
    NO_SUCH_LIFECYCLE_CONFIGURATION(
            "NoSuchLifecycleConfiguration", 404, "The lifecycle configuration does not exist"),
    NO_SUCH_OBJECT_LOCK_CONFIGURATION(
            "NoSuchObjectLockConfiguration",
            404,
            "The specified object does not have a ObjectLock configuration"),
    NO_SUCH_PUBLIC_ACCESS_BLOCK_CONFIGURATION(
            "NoSuchPublicAccessBlockConfiguration",
            404,
            "The public access block configuration was not found"),
    NO_SUCH_TAG_SET("NoSuchTagSet", 404, "The TagSet does not exist"),
    NO_SUCH_UPLOAD(
            "NoSuchUpload",
            404,
            "The specified multipart upload does not exist. The upload ID might be invalid, or the"
                    + " multipart upload might have been aborted or completed."),
    NO_SUCH_VERSION("NoSuchVersion", 404, "The specified version does not exist."),
    NO_SUCH_WEBSITE_CONFIGURATION(
            "NoSuchWebsiteConfiguration",
            404,
            "The specified bucket does not have a website configuration"),
    NOT_IMPLEMENTED(
            "NotImplemented",
            501,
            "A header you provided implies functionality that is not implemented."),
    NOT_MODIFIED("NotModified", 304, "Not Modified"),
    OBJECT_LOCKED("AccessDenied", 403, "Access Denied because object protected by object lock."),
    OBJECT_SHREDDED(
            "InvalidObjectState",
            403,
            "The data key of this object was destroyed by a shred. Nothing can decrypt it again."),
    OBJECT_LOCK_CONFIGURATION_NOT_FOUND(
            "ObjectLockConfigurationNotFoundError",
            404,
            "Object Lock configuration does not exist for this bucket"),
    OWNERSHIP_CONTROLS_NOT_FOUND(
            "OwnershipControlsNotFoundError", 404, "The bucket ownership controls were not found"),
    PRECONDITION_FAILED(
            "PreconditionFailed",
            412,
            "At least one of the pre-conditions you specified did not hold"),
    REPLICATION_CONFIGURATION_NOT_FOUND(
            "ReplicationConfigurationNotFoundError",
            404,
            "The replication configuration was not found"),
    REQUEST_TIMEOUT(
            "RequestTimeout",
            400,
            "Your socket connection to the server was not read from or written to within the"
                    + " timeout period."),
    REQUEST_TIME_TOO_SKEWED(
            "RequestTimeTooSkewed",
            403,
            "The difference between the request time and the current time is too large."),
    RETENTION_OVER("InvalidArgument", 400, "The retain until date must be in the future!"),
    SERVICE_UNAVAILABLE("ServiceUnavailable", 503, "Please reduce your request rate."),
    SIGNATURE_DOES_NOT_MATCH(
            "SignatureDoesNotMatch",
            403,
            "The request signature we calculated does not match the signature you provided. Check"
                    + " your key and signing method."),
    SLOW_DOWN("SlowDown", 503, "Please reduce your request rate."),
    SSE_CONFIGURATION_NOT_FOUND(
            "ServerSideEncryptionConfigurationNotFoundError",
            404,
            "The server side encryption configuration was not found"),
    TOO_MANY_BUCKETS(
            "TooManyBuckets", 400, "You have attempted to create more buckets than allowed"),
    X_AMZ_CONTENT_SHA256_MISMATCH(
            "XAmzContentSHA256Mismatch",
            400,
            "The provided 'x-amz-content-sha256' header does not match what was computed.");

    private final String code;
    private final int status;
    private final String message;

    S3Error(String code, int status, String message) {
        this.code = code;
        this.status = status;
        this.message = message;
    }

    /** The {@code Code} element. */
    public String code() {
        return code;
    }

    /** The HTTP status. */
    public int status() {
        return status;
    }

    /** Returns the message for refusals without a more exact one. */
    public String message() {
        return message;
    }
}
