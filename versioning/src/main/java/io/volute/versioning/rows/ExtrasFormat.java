package io.volute.versioning.rows;

import io.volute.versioning.value.ObjectAttributes;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The format of the block of headers, user metadata and tags. Frequent header names and content
 * types are codes. The codes are on disk: add only at the end.
 */
final class ExtrasFormat {
    /** Header names with a code, from 1 on; code 0 precedes a name in full. */
    private static final List<String> NAMES =
            List.of(
                    "content-type",
                    "cache-control",
                    "content-disposition",
                    "content-encoding",
                    "content-language",
                    "expires",
                    "x-amz-website-redirect-location",
                    ObjectAttributes.STORAGE_CLASS);

    private static final int CONTENT_TYPE = 1;
    private static final int STORAGE_CLASS = NAMES.size();

    /** Content types with a code, from 1 on; code 0 precedes a type in full. */
    private static final List<String> TYPES =
            List.of(
                    "binary/octet-stream",
                    "application/octet-stream",
                    "text/plain",
                    "text/html",
                    "text/css",
                    "text/csv",
                    "text/xml",
                    "text/javascript",
                    "application/json",
                    "application/xml",
                    "application/pdf",
                    "application/zip",
                    "application/gzip",
                    "application/x-tar",
                    "application/x-www-form-urlencoded",
                    "application/x-directory",
                    "image/png",
                    "image/jpeg",
                    "image/gif",
                    "image/webp",
                    "image/svg+xml",
                    "audio/mpeg",
                    "video/mp4",
                    "text/plain; charset=utf-8",
                    "text/html; charset=utf-8");

    /** The content of the block. */
    public record Extras(
            SortedMap<String, String> headers,
            SortedMap<String, String> userMetadata,
            SortedMap<String, String> tags) {
        public static final Extras NONE =
                new Extras(
                        Collections.emptySortedMap(),
                        Collections.emptySortedMap(),
                        Collections.emptySortedMap());
    }

    private ExtrasFormat() {}

    /** Encodes the block; empty when there are no headers, metadata and tags. */
    public static byte[] write(ObjectAttributes attributes) {
        if (attributes.headers().isEmpty()
                && attributes.userMetadata().isEmpty()
                && attributes.tags().isEmpty()) {
            return new byte[0];
        }
        RowOutput output = new RowOutput();
        output.varint(attributes.headers().size());
        attributes.headers().forEach((name, value) -> writeHeader(output, name, value));
        writeMap(output, attributes.userMetadata());
        writeMap(output, attributes.tags());
        return output.toBytes();
    }

    /** Encodes what listings need of the block: the storage class; empty when there is none. */
    public static byte[] writeListed(ObjectAttributes attributes) {
        String storageClass = attributes.headers().get(ObjectAttributes.STORAGE_CLASS);
        return storageClass == null
                ? new byte[0]
                : write(
                        ObjectAttributes.ofEtag("")
                                .withHeader(
                                        ObjectAttributes.STORAGE_CLASS, Optional.of(storageClass)));
    }

    /** Reads what listings need of the block, and skips all else without decoding it. */
    public static Extras readListed(RowInput input) {
        for (int left = input.size(); left > 0; left--) {
            int nameCode = input.size();
            if (nameCode == STORAGE_CLASS) {
                SortedMap<String, String> headers = new TreeMap<>();
                headers.put(ObjectAttributes.STORAGE_CLASS, input.text());
                return new Extras(headers, Extras.NONE.userMetadata(), Extras.NONE.tags());
            }
            if (nameCode == 0) {
                input.skipText();
            }
            if (nameCode != CONTENT_TYPE || input.size() == 0) {
                input.skipText();
            }
        }
        return Extras.NONE;
    }

    public static Extras read(RowInput input) {
        SortedMap<String, String> headers = new TreeMap<>();
        for (int left = input.size(); left > 0; left--) {
            int nameCode = input.size();
            String name = nameCode == 0 ? input.text() : coded(NAMES, nameCode, "header name");
            if (nameCode == CONTENT_TYPE) {
                int typeCode = input.size();
                headers.put(
                        name,
                        typeCode == 0 ? input.text() : coded(TYPES, typeCode, "content type"));
            } else {
                headers.put(name, input.text());
            }
        }
        return new Extras(headers, readMap(input), readMap(input));
    }

    /** Returns the index behind the block with which a detail begins. */
    public static int end(byte[] detail) {
        RowInput input = new RowInput(detail);
        read(input);
        return input.position();
    }

    private static void writeHeader(RowOutput output, String name, String value) {
        int nameCode = NAMES.indexOf(name) + 1;
        output.varint(nameCode);
        if (nameCode == 0) {
            output.text(name);
        }
        if (nameCode == CONTENT_TYPE) {
            int typeCode = TYPES.indexOf(value) + 1;
            output.varint(typeCode);
            if (typeCode != 0) {
                return;
            }
        }
        output.text(value);
    }

    private static void writeMap(RowOutput output, SortedMap<String, String> map) {
        output.varint(map.size());
        map.forEach((name, value) -> output.text(name).text(value));
    }

    private static SortedMap<String, String> readMap(RowInput input) {
        SortedMap<String, String> map = new TreeMap<>();
        for (int left = input.size(); left > 0; left--) {
            String name = input.text();
            map.put(name, input.text());
        }
        return map;
    }

    private static String coded(List<String> values, int code, String what) {
        if (code > values.size()) {
            throw new RowFormatException(what + " code " + code);
        }
        return values.get(code - 1);
    }
}
