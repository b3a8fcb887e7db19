package io.volute.server.s3.call;

import io.volute.server.Limits;
import io.volute.server.auth.policy.Action;
import io.volute.server.auth.sigv4.AuthResult.Verified;
import io.volute.server.s3.body.IncomingBody;
import io.volute.server.s3.checksum.Promises;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.HeaderList;
import io.volute.server.s3.request.HttpDates;
import io.volute.server.s3.xml.XmlElement;
import io.volute.server.s3.xml.XmlReader;
import io.volute.server.s3.xml.XmlWriter;
import io.volute.versioning.value.BucketLock;
import io.volute.versioning.value.BucketLock.DefaultRetention;
import io.volute.versioning.value.BucketLock.Unit;
import io.volute.versioning.value.ObjectLock;
import io.volute.versioning.value.ObjectLock.LegalHold;
import io.volute.versioning.value.ObjectLock.Mode;
import io.volute.versioning.value.ObjectLock.Retention;
import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Object Lock in the headers and documents of requests and answers. */
public final class Locks {
    public static final String RETENTION = "Retention";
    public static final String LEGAL_HOLD = "LegalHold";
    public static final String CONFIGURATION = "ObjectLockConfiguration";

    private static final String MODE = "x-amz-object-lock-mode";
    private static final String UNTIL = "x-amz-object-lock-retain-until-date";
    private static final String HOLD = "x-amz-object-lock-legal-hold";

    private Locks() {}

    /** Returns whether a request creates a bucket with Object Lock. */
    public static boolean isLocking(S3Request request) {
        String header = "x-amz-bucket-object-lock-enabled";
        String value = request.header(header).orElse("false");
        return switch (value.toLowerCase(Locale.ROOT)) {
            case "true" -> true;
            case "false" -> false;
            default ->
                    throw S3Exception.invalidArgument(header, value, "Write either true or false.");
        };
    }

    // ---- headers

    /** Returns the lock that the headers request for a new object. */
    public static ObjectLock ofHeaders(HeaderList headers) {
        Optional<String> mode = headers.first(MODE);
        Optional<String> until = headers.first(UNTIL);
        if (mode.isPresent() != until.isPresent()) {
            throw new S3Exception(
                            S3Error.INVALID_ARGUMENT,
                            UNTIL + " and " + MODE + " must both be supplied")
                    .with("ArgumentName", mode.isPresent() ? UNTIL : MODE);
        }
        Optional<Retention> retention =
                mode.map(
                        name ->
                                new Retention(
                                        header(
                                                MODE,
                                                name,
                                                constant(Mode.values(), name),
                                                "Unknown wormMode directive."),
                                        header(
                                                UNTIL,
                                                until.orElseThrow(),
                                                HttpDates.timestamp(until.orElseThrow()),
                                                "The retain until date must be provided in ISO"
                                                        + " 8601 format")));
        Optional<LegalHold> hold =
                headers.first(HOLD)
                        .map(
                                name ->
                                        header(
                                                HOLD,
                                                name,
                                                constant(LegalHold.values(), name),
                                                "Legal Hold must be either of 'ON' or 'OFF'"));
        return new ObjectLock(retention, hold);
    }

    private static <T> T header(String name, String text, Optional<T> value, String message) {
        return value.orElseThrow(() -> S3Exception.invalidArgument(name, text, message));
    }

    private static <E extends Enum<E>> Optional<E> constant(E[] values, String name) {
        return Arrays.stream(values).filter(each -> each.name().equals(name)).findFirst();
    }

    /** Adds the lock of a version, as far as the caller may see it. */
    public static void describe(Answer answer, S3Request request, ObjectLock lock) {
        if (lock.retention().isPresent() && isAllowed(request, Action.GET_OBJECT_RETENTION)) {
            answer.header(MODE, lock.retention().get().mode().name());
            answer.header(UNTIL, HttpDates.document(lock.retention().get().until()));
        }
        if (lock.legalHold().isPresent() && isAllowed(request, Action.GET_OBJECT_LEGAL_HOLD)) {
            answer.header(HOLD, lock.legalHold().get().name());
        }
    }

    private static boolean isAllowed(S3Request request, Action action) {
        return request.access().allows(action, request.thing());
    }

    /**
     * Returns whether the request bypasses governance locks: it must request that, and have
     * permission.
     */
    public static boolean bypassesGovernance(S3Request request, Access.Thing thing) {
        return request.header("x-amz-bypass-governance-retention")
                        .filter(value -> value.toLowerCase(Locale.ROOT).equals("true"))
                        .isPresent()
                && request.access().allows(Action.BYPASS_GOVERNANCE_RETENTION, thing);
    }

    // ---- documents

    private static final Set<String> LOCK_ELEMENTS =
            Set.of(
                    "ObjectLockEnabled",
                    "Rule",
                    "Rule/DefaultRetention",
                    "Rule/DefaultRetention/Mode",
                    "Rule/DefaultRetention/Days",
                    "Rule/DefaultRetention/Years");

    /** The document that a request carries. */
    public static XmlElement read(IncomingBody body, Verified verified, String root)
            throws IOException {
        byte[] document = body.gather(Promises.of(verified), Limits.XML_BYTES_MAX);
        return XmlReader.read(document, root, Limits.XML_ELEMENTS_MAX);
    }

    /** Reads a Retention document; an empty document is no retention. */
    public static Optional<Retention> retention(XmlElement root) {
        refuseEventHold(root, "EventHold");
        XmlElement unused = root.only(Set.of("Mode", "RetainUntilDate"));
        if (root.children().isEmpty()) {
            return Optional.empty();
        }
        Optional<Instant> until = root.childText("RetainUntilDate").flatMap(HttpDates::timestamp);
        return Optional.of(new Retention(mode(root), until.orElseThrow(Locks::malformed)));
    }

    public static LegalHold legalHold(XmlElement root) {
        return root.only(Set.of("Status"))
                .childText("Status")
                .flatMap(name -> constant(LegalHold.values(), name))
                .orElseThrow(Locks::malformed);
    }

    /** Reads an ObjectLockConfiguration document. */
    public static BucketLock configuration(XmlElement root) {
        root.child("Rule")
                .flatMap(rule -> rule.child("DefaultRetention"))
                .ifPresent(retention -> refuseEventHold(retention, "DefaultEventHold"));
        XmlElement unused = root.only(LOCK_ELEMENTS);
        if (!root.childText("ObjectLockEnabled").equals(Optional.of("Enabled"))) {
            throw malformed();
        }
        return new BucketLock(root.child("Rule").map(Locks::byDefault));
    }

    private static DefaultRetention byDefault(XmlElement rule) {
        XmlElement retention = rule.child("DefaultRetention").orElseThrow(Locks::malformed);
        Mode mode = mode(retention);
        List<Unit> units =
                Arrays.stream(Unit.values())
                        .filter(unit -> retention.child(element(unit)).isPresent())
                        .toList();
        if (units.size() != 1) {
            throw malformed();
        }
        Unit unit = units.getFirst();
        return new DefaultRetention(
                mode, period(unit, retention.childText(element(unit)).get()), unit);
    }

    private static int period(Unit unit, String text) {
        boolean isNegative = text.startsWith("-");
        long digits = Numbers.digits(isNegative ? text.substring(1) : text);
        if (digits < 0) {
            throw malformed();
        }
        if (isNegative || digits == 0) {
            throw S3Exception.invalidArgument(
                    element(unit),
                    text,
                    "Default retention period must be a positive integer value.");
        }
        if (digits > unit.max()) {
            throw S3Exception.invalidArgument(
                    element(unit), text, "Default retention period too large.");
        }
        return (int) digits;
    }

    private static Mode mode(XmlElement parent) {
        return parent.childText("Mode")
                .flatMap(name -> constant(Mode.values(), name))
                .orElseThrow(Locks::malformed);
    }

    private static void refuseEventHold(XmlElement parent, String prefix) {
        for (XmlElement child : parent.children()) {
            if (child.name().startsWith(prefix)) {
                throw S3Exception.notImplemented(child.name());
            }
        }
    }

    private static S3Exception malformed() {
        return new S3Exception(S3Error.MALFORMED_XML);
    }

    public static byte[] document(Retention retention) {
        XmlWriter xml = XmlWriter.document(RETENTION);
        xml.element("Mode", retention.mode().name());
        xml.element("RetainUntilDate", HttpDates.document(retention.until()));
        return xml.finish();
    }

    public static byte[] document(LegalHold hold) {
        return XmlWriter.document(LEGAL_HOLD).element("Status", hold.name()).finish();
    }

    public static byte[] document(BucketLock lock) {
        XmlWriter xml = XmlWriter.document(CONFIGURATION);
        xml.element("ObjectLockEnabled", "Enabled");
        if (lock.byDefault().isPresent()) {
            DefaultRetention byDefault = lock.byDefault().get();
            xml.begin("Rule").begin("DefaultRetention");
            xml.element("Mode", byDefault.mode().name());
            xml.element(element(byDefault.unit()), byDefault.period());
            xml.end().end();
        }
        return xml.finish();
    }

    private static String element(Unit unit) {
        return switch (unit) {
            case DAYS -> "Days";
            case YEARS -> "Years";
        };
    }
}
