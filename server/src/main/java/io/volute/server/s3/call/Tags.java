package io.volute.server.s3.call;

import io.volute.server.Limits;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.PercentCoding;
import io.volute.server.s3.request.PercentCoding.Plus;
import io.volute.server.s3.xml.XmlElement;
import io.volute.server.s3.xml.XmlReader;
import io.volute.versioning.value.BucketDocument;
import io.volute.versioning.value.BucketInfo;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Object tags as clients send them (S3 User Guide, "Categorizing your storage using tags"). */
public final class Tags {
    /** Letters, spaces and numbers of any script, and some signs. */
    private static final Pattern ALLOWED = Pattern.compile("[\\p{L}\\p{Z}\\p{N}_.:/=+\\-@]*");

    private Tags() {}

    /** Parses {@code x-amz-tagging}: {@code key1=value1&key2=value2}, encoded as a query. */
    public static SortedMap<String, String> ofHeader(String header) {
        SortedMap<String, String> tags = new TreeMap<>();
        int begin = 0;
        while (begin < header.length()) {
            int end = header.indexOf('&', begin);
            end = end < 0 ? header.length() : end;
            if (end > begin) {
                int equals = header.indexOf('=', begin);
                boolean hasValue = equals >= 0 && equals < end;
                String key = decoded(header, begin, hasValue ? equals : end);
                if (key.isEmpty() || tags.containsKey(key)) {
                    throw invalidHeader(header);
                }
                add(key, hasValue ? decoded(header, equals + 1, end) : "", tags);
            }
            begin = end + 1;
        }
        return requireFew(tags, "Object", Limits.TAGS_MAX);
    }

    private static String decoded(String header, int begin, int end) {
        try {
            return PercentCoding.decode(header.substring(begin, end), Plus.SPACE);
        } catch (S3Exception e) {
            throw invalidHeader(header);
        }
    }

    private static S3Exception invalidHeader(String header) {
        return S3Exception.invalidArgument(
                "x-amz-tagging",
                header,
                "The header 'x-amz-tagging' shall be encoded as UTF-8 then URLEncoded URL query"
                        + " parameters without tag name duplicates.");
    }

    /** Reads a Tagging document of an object. */
    public static SortedMap<String, String> ofDocument(XmlElement tagging) {
        return requireFew(ofSet(set(tagging)), "Object", Limits.TAGS_MAX);
    }

    /** Reads a Tagging document of a bucket. */
    public static SortedMap<String, String> ofBucketDocument(XmlElement tagging) {
        return requireFew(ofSet(set(tagging)), "Bucket", Limits.BUCKET_TAGS_MAX);
    }

    /** Reads the tags in the document of CreateBucket, which may be empty. */
    public static SortedMap<String, String> ofNewBucket(byte[] document) {
        Optional<XmlElement> tags =
                document.length == 0
                        ? Optional.empty()
                        : XmlReader.read(
                                        document,
                                        "CreateBucketConfiguration",
                                        Limits.XML_ELEMENTS_MAX)
                                .child("Tags");
        return requireFew(
                tags.map(Tags::ofSet).orElseGet(TreeMap::new), "Bucket", Limits.BUCKET_TAGS_MAX);
    }

    /** Returns the tags of a bucket. */
    static Map<String, String> ofBucket(BucketInfo bucket) {
        Optional<String> document = bucket.document(BucketDocument.TAGGING);
        if (document.isEmpty()) {
            return Map.of();
        }
        byte[] bytes = document.get().getBytes(StandardCharsets.UTF_8);
        return ofBucketDocument(XmlReader.read(bytes, "Tagging", Limits.XML_ELEMENTS_MAX));
    }

    private static XmlElement set(XmlElement tagging) {
        return tagging.only(Set.of("TagSet", "TagSet/Tag", "TagSet/Tag/Key", "TagSet/Tag/Value"))
                .child("TagSet")
                .orElseThrow(() -> new S3Exception(S3Error.MALFORMED_XML));
    }

    private static SortedMap<String, String> ofSet(XmlElement set) {
        SortedMap<String, String> tags = new TreeMap<>();
        for (XmlElement tag : set.all("Tag")) {
            Optional<String> key = tag.childText("Key");
            Optional<String> value = tag.childText("Value");
            if (key.isEmpty() || value.isEmpty()) {
                throw new S3Exception(S3Error.MALFORMED_XML);
            }
            add(key.get(), value.get(), tags);
        }
        return tags;
    }

    private static void add(String key, String value, SortedMap<String, String> tags) {
        if (key.isEmpty()
                || key.codePointCount(0, key.length()) > Limits.TAG_KEY_CHARS_MAX
                || key.startsWith("aws:")
                || !ALLOWED.matcher(key).matches()) {
            throw new S3Exception(S3Error.INVALID_TAG, "The TagKey you have provided is invalid")
                    .with("TagKey", key);
        }
        if (value.codePointCount(0, value.length()) > Limits.TAG_VALUE_CHARS_MAX
                || !ALLOWED.matcher(value).matches()) {
            throw new S3Exception(S3Error.INVALID_TAG, "The TagValue you have provided is invalid")
                    .with("TagKey", key)
                    .with("TagValue", value);
        }
        if (tags.put(key, value) != null) {
            throw new S3Exception(
                            S3Error.INVALID_TAG, "Cannot provide multiple Tags with the same key")
                    .with("TagKey", key);
        }
    }

    private static SortedMap<String, String> requireFew(
            SortedMap<String, String> tags, String what, int max) {
        if (tags.size() > max) {
            throw new S3Exception(
                    S3Error.BAD_REQUEST, what + " tags cannot be greater than " + max);
        }
        return tags;
    }
}
