package io.volute.server.s3.lifecycle;

import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.xml.XmlElement;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The check of the transitions of a rule. Transitions are stored and change nothing, so a wrong one
 * would otherwise first be noticed by a move to another store.
 */
public final class Transitions {
    /** Name of the header with the smallest object that transitions move by default. */
    public static final String SIZE_HEADER = "x-amz-transition-default-minimum-object-size";

    /** The value of that header when no client has set it. */
    public static final String SIZE = "all_storage_classes_128K";

    private static final Set<String> CLASSES =
            Set.of(
                    "STANDARD_IA",
                    "ONEZONE_IA",
                    "INTELLIGENT_TIERING",
                    "GLACIER",
                    "GLACIER_IR",
                    "DEEP_ARCHIVE");

    private Transitions() {}

    /**
     * Refuses another smallest object than S3 has by default. Clients verify that a value which
     * they set is answered later.
     *
     * @throws S3Exception NotImplemented, InvalidArgument for what S3 has not
     */
    public static void requireSize(String value) {
        if (value.equals("varies_by_storage_class")) {
            throw S3Exception.notImplementedHeader(SIZE_HEADER);
        }
        if (!value.equals(SIZE)) {
            throw S3Exception.invalidArgument(
                    SIZE_HEADER, value, "Invalid transition default minimum object size");
        }
    }

    /**
     * Refuses transitions that S3 refuses.
     *
     * @throws S3Exception MalformedXML, InvalidArgument or InvalidRequest
     */
    static void check(XmlElement rule) {
        check(rule.children().stream().filter(each -> each.name().equals("Transition")).toList());
        check(
                rule.children().stream()
                        .filter(each -> each.name().equals("NoncurrentVersionTransition"))
                        .toList());
    }

    private static void check(List<XmlElement> transitions) {
        Set<String> classes = new HashSet<>();
        for (XmlElement transition : transitions) {
            String storageClass =
                    transition
                            .childText("StorageClass")
                            .map(String::strip)
                            .filter(CLASSES::contains)
                            .orElseThrow(() -> new S3Exception(S3Error.MALFORMED_XML));
            if (!classes.add(storageClass)) {
                throw new S3Exception(
                        S3Error.INVALID_REQUEST,
                        "'StorageClass' must be different for '"
                                + transition.name()
                                + "' actions in same 'Rule'");
            }
            if (transition.name().equals("Transition")) {
                checkTime(transition);
            } else {
                days(transition, "NoncurrentDays");
                int unused = LifecycleRules.newer(transition);
            }
        }
    }

    private static void checkTime(XmlElement transition) {
        boolean hasDate = transition.child("Date").isPresent();
        if (hasDate == transition.child("Days").isPresent()) {
            throw new S3Exception(S3Error.MALFORMED_XML);
        }
        if (hasDate) {
            Instant unused = LifecycleRules.date(transition.childText("Date").orElse("").strip());
        } else {
            days(transition, "Days");
        }
    }

    private static void days(XmlElement transition, String name) {
        String text = transition.childText(name).map(String::strip).orElse("");
        if (!text.matches("[0-9]{1,9}")) {
            throw S3Exception.invalidArgument(
                    name,
                    text,
                    "'" + name + "' for " + transition.name() + " action must be nonnegative");
        }
    }
}
