package io.volute.server.s3.content;

import io.volute.server.Limits;
import io.volute.server.s3.call.Numbers;
import io.volute.server.s3.call.S3Request;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.xml.XmlWriter;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/**
 * The common arguments of bucket listings, and the elements that their documents share.
 *
 * @param max entries wanted, capped
 */
public record ListingArguments(String prefix, String delimiter, Encoding encoding, int max) {

    /** The encoding of keys in the document: {@code encoding-type}. */
    enum Encoding {
        PLAIN,
        URL
    }

    /**
     * @param maxName the parameter with the maximum number of entries
     */
    public static ListingArguments of(S3Request request, String maxName) {
        return new ListingArguments(
                request.query().text("prefix"),
                request.query().text("delimiter"),
                encoding(request.query().text("encoding-type")),
                Numbers.page(maxName, request, Limits.PAGE_ENTRIES_MAX));
    }

    private static Encoding encoding(String text) {
        if (text.isEmpty()) {
            return Encoding.PLAIN;
        }
        if (!text.equalsIgnoreCase("url")) {
            throw S3Exception.invalidArgument(
                    "encoding-type", text, "Invalid Encoding Method specified in Request");
        }
        return Encoding.URL;
    }

    /**
     * Returns whether to announce more entries. An empty page never does, or clients would continue
     * for ever.
     */
    public boolean truncated(boolean more) {
        return max > 0 && more;
    }

    /**
     * Encodes a key as in a form, but keeps slashes and writes blanks as {@code %20}, which both
     * kinds of decoder in use accept.
     */
    public String encode(String text) {
        return switch (encoding) {
            case PLAIN -> text;
            case URL ->
                    URLEncoder.encode(text, StandardCharsets.UTF_8)
                            .replace("+", "%20")
                            .replace("%2F", "/");
        };
    }

    public void writePrefix(XmlWriter xml) {
        xml.element("Prefix", encode(prefix));
    }

    /** Writes the delimiter, unless the request has none. */
    public void writeDelimiter(XmlWriter xml) {
        if (!delimiter.isEmpty()) {
            xml.element("Delimiter", encode(delimiter));
        }
    }

    /** Writes the encoding, unless the request has none. */
    public void writeEncoding(XmlWriter xml) {
        if (encoding == Encoding.URL) {
            xml.element("EncodingType", "url");
        }
    }

    public void writePrefixes(XmlWriter xml, Iterable<String> prefixes) {
        for (String each : prefixes) {
            xml.begin("CommonPrefixes").element("Prefix", encode(each)).end();
        }
    }
}
