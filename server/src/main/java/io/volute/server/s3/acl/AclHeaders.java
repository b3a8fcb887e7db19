package io.volute.server.s3.acl;

import io.volute.server.s3.acl.Acl.Grant;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HeaderList;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** Reads the ACL that the headers of a request give: a canned one, or grants. */
public final class AclHeaders {
    public static final String CANNED = "x-amz-acl";
    public static final String GRANT_PREFIX = "x-amz-grant-";
    public static final String PRIVATE = "private";
    static final String BUCKET_OWNER_FULL_CONTROL = "bucket-owner-full-control";

    private static final Set<String> HARMLESS = Set.of(PRIVATE, BUCKET_OWNER_FULL_CONTROL);

    /** The limit of S3 (User Guide, "ACL overview"). */
    private static final int MOST_GRANTS = 100;

    private AclHeaders() {}

    /** Returns whether the headers give an ACL. */
    public static boolean isIn(HeaderList headers) {
        for (HeaderList.Header header : headers.headers()) {
            if (header.name().equals(CANNED) || header.name().startsWith(GRANT_PREFIX)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether the headers give an ACL that may give rights to others than the owner. */
    public static boolean isSharing(HeaderList headers) {
        for (HeaderList.Header header : headers.headers()) {
            if (header.name().equals(CANNED) && !HARMLESS.contains(header.value())
                    || header.name().startsWith(GRANT_PREFIX)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether S3 has a canned ACL of this name. */
    public static boolean isCanned(String name) {
        return switch (name) {
            case PRIVATE,
                    "public-read",
                    "public-read-write",
                    "authenticated-read",
                    "aws-exec-read",
                    "bucket-owner-read",
                    BUCKET_OWNER_FULL_CONTROL,
                    "log-delivery-write" ->
                    true;
            default -> false;
        };
    }

    /**
     * Returns the ACL that the headers of a request give to an object; empty when they give none.
     *
     * @param owner of the object
     * @param isUser whether a user has this canonical id
     * @throws S3Exception InvalidArgument, InvalidRequest, MethodNotAllowed for an email address
     */
    public static Optional<Acl> ofObject(
            HeaderList headers, String owner, String bucketOwner, Predicate<String> isUser) {
        return of(headers, owner, Optional.of(bucketOwner), isUser);
    }

    /** Returns the ACL that the headers of a request give to a bucket, as for an object. */
    public static Optional<Acl> ofBucket(
            HeaderList headers, String owner, Predicate<String> isUser) {
        return of(headers, owner, Optional.empty(), isUser);
    }

    private static Optional<Acl> of(
            HeaderList headers,
            String owner,
            Optional<String> bucketOwner,
            Predicate<String> isUser) {
        Optional<String> canned = headers.first(CANNED);
        List<Grant> grants = new ArrayList<>();
        boolean isGranting = false;
        for (HeaderList.Header header : headers.headers()) {
            if (header.name().startsWith(GRANT_PREFIX)) {
                isGranting = true;
                readGrants(header, isUser, grants);
            }
        }
        if (!isGranting) {
            return canned.map(name -> new Acl(owner, canned(name, owner, bucketOwner)));
        }
        if (canned.isPresent()) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST,
                    "Specifying both Canned ACLs and Header Grants is not allowed");
        }
        return Optional.of(new Acl(owner, checked(grants)));
    }

    /** Refuses more grants than an ACL has. */
    static List<Grant> checked(List<Grant> grants) {
        if (grants.size() > MOST_GRANTS) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST, "An ACL has " + MOST_GRANTS + " grants at most.");
        }
        return grants;
    }

    private static List<Grant> canned(String name, String owner, Optional<String> bucketOwner) {
        List<Grant> grants = new ArrayList<>();
        switch (name) {
            case PRIVATE -> {}
            case "public-read" -> grants.add(all(Permission.READ));
            case "public-read-write" -> {
                grants.add(all(Permission.READ));
                grants.add(all(Permission.WRITE));
            }
            case "authenticated-read" ->
                    grants.add(new Grant(Grantee.Group.AUTHENTICATED_USERS, Permission.READ));
            case "aws-exec-read" ->
                    throw S3Exception.notImplemented("the canned ACL aws-exec-read");
            case "bucket-owner-read", BUCKET_OWNER_FULL_CONTROL ->
                    bucketOwner
                            .filter(user -> !user.equals(owner))
                            .ifPresent(user -> grants.add(ofBucketOwner(name, user)));
            case "log-delivery-write" -> {
                if (bucketOwner.isPresent()) {
                    throw unknown(name);
                }
                grants.add(new Grant(Grantee.Group.LOG_DELIVERY, Permission.WRITE));
                grants.add(new Grant(Grantee.Group.LOG_DELIVERY, Permission.READ_ACP));
            }
            default -> throw unknown(name);
        }
        grants.add(Acl.fullControl(owner));
        return grants;
    }

    private static Grant all(Permission permission) {
        return new Grant(Grantee.Group.ALL_USERS, permission);
    }

    private static Grant ofBucketOwner(String canned, String user) {
        return canned.equals(BUCKET_OWNER_FULL_CONTROL)
                ? Acl.fullControl(user)
                : new Grant(new Grantee.User(user), Permission.READ);
    }

    private static S3Exception unknown(String canned) {
        return S3Exception.invalidArgument(CANNED, canned, "Unknown ACL.");
    }

    /** Reads {@code id="ID", uri="URI"}; the quotation marks may be left out. */
    private static void readGrants(
            HeaderList.Header header, Predicate<String> isUser, List<Grant> grants) {
        Permission permission = permission(header);
        String value = header.value();
        int begin = 0;
        while (begin < value.length()) {
            int equals = value.indexOf('=', begin);
            if (equals < 0) {
                throw malformed(header);
            }
            String kind = value.substring(begin, equals).strip();
            int first = equals + 1;
            boolean isQuoted = first < value.length() && value.charAt(first) == '"';
            int end = value.indexOf(isQuoted ? '"' : ',', isQuoted ? first + 1 : first);
            if (isQuoted && end < 0) {
                throw malformed(header);
            }
            int last = end < 0 ? value.length() : end;
            String name = value.substring(isQuoted ? first + 1 : first, last);
            grants.add(new Grant(grantee(header, kind, name, isUser), permission));
            int comma = value.indexOf(',', last);
            int rest = comma < 0 ? value.length() : comma;
            if (!value.substring(isQuoted ? last + 1 : last, rest).isBlank()) {
                throw malformed(header);
            }
            begin = rest + 1;
        }
    }

    private static Permission permission(HeaderList.Header header) {
        for (Permission permission : Permission.values()) {
            if (permission.header().equals(header.name())) {
                return permission;
            }
        }
        throw malformed(header);
    }

    private static Grantee grantee(
            HeaderList.Header header, String kind, String name, Predicate<String> isUser) {
        return switch (kind) {
            case "id" -> user(name.strip(), isUser);
            case "uri" -> group(name.strip());
            case "emailAddress" -> throw email();
            default -> throw malformed(header);
        };
    }

    static Grantee user(String id, Predicate<String> isUser) {
        if (!isUser.test(id)) {
            throw S3Exception.invalidArgument("CanonicalUser/ID", id, "Invalid id");
        }
        return new Grantee.User(id);
    }

    static Grantee group(String uri) {
        return Grantee.Group.ofUri(uri)
                .orElseThrow(
                        () -> S3Exception.invalidArgument("Group/URI", uri, "Invalid group uri"));
    }

    /** Creates the answer of S3 since October 2025. */
    static S3Exception email() {
        return new S3Exception(
                S3Error.METHOD_NOT_ALLOWED,
                "Grants to email addresses are not supported: name the user by the canonical id.");
    }

    private static S3Exception malformed(HeaderList.Header header) {
        return S3Exception.invalidArgument(
                header.name(), header.value(), "Argument format not recognized");
    }
}
