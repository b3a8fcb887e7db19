package io.volute.admin.migrate;

import io.volute.admin.s3.S3Client;
import io.volute.admin.s3.S3Reply;
import io.volute.admin.s3.S3Request;
import io.volute.admin.s3.XmlTree;
import io.volute.adminapi.signing.RequestSigner;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The headers with which a version is written as it was at the source.
 *
 * @param headers by lower-case name, without checksums
 * @param checksums headers with checksums of the content; of no use for an upload in parts
 * @param lost what cannot be carried over, in words
 */
record VersionHeaders(
        Map<String, String> headers, Map<String, String> checksums, List<String> lost) {
    private static final Set<String> CARRIED =
            Set.of(
                    "content-type",
                    "cache-control",
                    "content-disposition",
                    "content-encoding",
                    "content-language",
                    "expires",
                    "x-amz-website-redirect-location",
                    "x-amz-object-lock-legal-hold");

    private static final Set<String> CLASSES =
            Set.of(
                    "REDUCED_REDUNDANCY",
                    "STANDARD_IA",
                    "ONEZONE_IA",
                    "INTELLIGENT_TIERING",
                    "GLACIER",
                    "GLACIER_IR",
                    "DEEP_ARCHIVE");

    private static final String META = "x-amz-meta-";
    private static final String CHECKSUM = "x-amz-checksum-";
    private static final String ENCRYPTION = "x-amz-server-side-encryption";
    private static final String MODE = "x-amz-object-lock-mode";
    private static final String UNTIL = "x-amz-object-lock-retain-until-date";
    private static final String CLASS = "x-amz-storage-class";
    private static final String TAGS = "x-amz-tagging-count";

    /** Returns the headers for a version that the source has answered. */
    static VersionHeaders of(S3Reply found, Instant now) {
        Map<String, String> headers = new TreeMap<>();
        Map<String, String> checksums = new TreeMap<>();
        List<String> lost = new ArrayList<>();
        found.headers()
                .map()
                .forEach(
                        (written, values) -> {
                            String name = written.toLowerCase(Locale.ROOT);
                            String value = String.join(",", values);
                            if (CARRIED.contains(name) || name.startsWith(META)) {
                                add(name, value, headers, lost);
                            } else if (name.startsWith(CHECKSUM) && !name.endsWith("-type")) {
                                checksums.put(name, value);
                            }
                        });
        retention(found, now, headers, lost);
        found.header(CLASS).filter(CLASSES::contains).ifPresent(name -> headers.put(CLASS, name));
        found.header(ENCRYPTION)
                .ifPresent(
                        how -> {
                            headers.put(ENCRYPTION, "AES256");
                            if (!how.equals("AES256")) {
                                lost.add("encryption " + how + ": it has SSE-S3 here");
                            }
                        });
        if (found.header("x-amz-checksum-type").filter("COMPOSITE"::equals).isPresent()) {
            checksums.clear();
        }
        return new VersionHeaders(headers, checksums, lost);
    }

    private static void add(
            String name, String value, Map<String, String> headers, List<String> lost) {
        boolean isPlain = value.chars().allMatch(each -> each >= ' ' && each <= '~');
        if (isPlain) {
            headers.put(name, value);
        } else {
            lost.add("header " + name + ": it has characters beyond ASCII");
        }
    }

    private static void retention(
            S3Reply found, Instant now, Map<String, String> headers, List<String> lost) {
        Optional<String> mode = found.header(MODE);
        Optional<String> until = found.header(UNTIL);
        if (mode.isEmpty() || until.isEmpty()) {
            return;
        }
        try {
            if (Instant.parse(until.get()).isAfter(now)) {
                headers.put(MODE, mode.get());
                headers.put(UNTIL, until.get());
            }
        } catch (DateTimeException e) {
            lost.add("retention until " + until.get() + ": that is no time");
        }
    }

    /** Adds the tags, which another request returns. */
    void addTags(S3Reply found, S3Client source, S3Request version)
            throws IOException, InterruptedException {
        if (found.header(TAGS).filter(count -> !count.equals("0")).isEmpty()) {
            return;
        }
        Map<String, String> tags = new TreeMap<>();
        for (XmlTree set : source.xml(version.with("tagging", "")).children("TagSet")) {
            set.children("Tag").forEach(tag -> tags.put(tag.text("Key"), tag.text("Value")));
        }
        headers.put("x-amz-tagging", RequestSigner.query(tags));
    }
}
