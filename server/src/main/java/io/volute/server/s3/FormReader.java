package io.volute.server.s3;

import io.volute.server.Limits;
import io.volute.server.s3.error.S3Error;
import io.volute.server.s3.error.S3Exception;
import io.volute.server.s3.request.RequestBody;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads a form of type {@code multipart/form-data} (RFC 7578): the fields in front of the file at
 * once, the file while it arrives. What follows the file is ignored, as S3 does. Used by one
 * thread.
 */
final class FormReader {
    private static final Pattern BOUNDARY =
            Pattern.compile(
                    "multipart/form-data\\s*;(?:.*;)?\\s*"
                            + "boundary=(?:\"([^\"]{1,70})\"|([^\\s;\"]{1,70}))(?:\\s*;.*)?",
                    Pattern.CASE_INSENSITIVE);

    private static final Pattern NAME = Pattern.compile(";\\s*name=\"([^\"]*)\"");
    private static final Pattern FILENAME = Pattern.compile(";\\s*filename=\"([^\"]*)\"");
    private static final String FILE = "file";

    private final RequestBody source;

    /** The line end in front of a boundary belongs to the boundary. */
    private final byte[] delimiter;

    private ByteBuffer bytes = ByteBuffer.allocate(0);
    private int left = Limits.FORM_FIELDS_BYTES_MAX;

    /**
     * A form without the content of its file.
     *
     * @param values by the name of the field in lower case
     * @param filename as the browser sent it, without directories; empty for none
     */
    record Fields(Map<String, String> values, String filename) {
        Optional<String> get(String name) {
            return Optional.ofNullable(values.get(name));
        }
    }

    /**
     * @param contentType of the request
     * @throws S3Exception MalformedPOSTRequest when it names no boundary
     */
    FormReader(String contentType, RequestBody source) {
        Matcher matcher = BOUNDARY.matcher(contentType);
        if (!matcher.matches()) {
            throw malformed("The Content-Type names no boundary.");
        }
        String boundary = matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
        this.source = source;
        this.delimiter = ("\r\n--" + boundary).getBytes(StandardCharsets.ISO_8859_1);
    }

    private static S3Exception malformed(String message) {
        return new S3Exception(S3Error.MALFORMED_POST_REQUEST, message);
    }

    /**
     * Reads the fields in front of the file.
     *
     * @throws S3Exception MalformedPOSTRequest, MaxPostPreDataLengthExceeded, or InvalidArgument
     *     for a form without a file
     */
    Fields fields() {
        Map<String, String> values = new TreeMap<>();
        if (!Arrays.equals(until("\r\n"), Arrays.copyOfRange(delimiter, 2, delimiter.length))) {
            throw malformed("The body does not begin with the boundary.");
        }
        while (true) {
            String disposition = disposition();
            String name =
                    group(NAME, disposition).orElseThrow(() -> malformed("A field has no name."));
            if (name.equalsIgnoreCase(FILE)) {
                String filename = group(FILENAME, disposition).orElse("");
                int directory = Math.max(filename.lastIndexOf('/'), filename.lastIndexOf('\\'));
                return new Fields(values, filename.substring(directory + 1));
            }
            String value = utf8(until(delimiter));
            if (values.put(name.toLowerCase(Locale.ROOT), value) != null) {
                throw S3Exception.invalidArgument(
                        name, value, "A field of a form may be given only once.");
            }
            switch (new String(until("\r\n"), StandardCharsets.ISO_8859_1).strip()) {
                case "" -> {}
                case "--" ->
                        throw S3Exception.invalidArgument(
                                FILE, "", "POST requires exactly one file upload per request.");
                default -> throw malformed("A boundary is followed by something else.");
            }
        }
    }

    /** Reads the headers of a part. */
    private String disposition() {
        String disposition = "";
        while (true) {
            String line = utf8(until("\r\n"));
            if (line.isEmpty()) {
                return disposition;
            }
            if (line.toLowerCase(Locale.ROOT).startsWith("content-disposition:")) {
                disposition = line;
            }
        }
    }

    private static Optional<String> group(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? Optional.of(matcher.group(1)) : Optional.empty();
    }

    private static String utf8(byte[] text) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(text)).toString();
        } catch (CharacterCodingException e) {
            throw malformed("A field is no UTF-8.");
        }
    }

    private byte[] until(String end) {
        return until(end.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Reads up to a mark, and passes it. */
    private byte[] until(byte[] end) {
        ByteArrayOutputStream read = new ByteArrayOutputStream();
        int matched = 0;
        while (matched < end.length) {
            byte next = next();
            // A mark begins with a carriage return, which is nowhere else in it.
            if (next == end[matched]) {
                matched++;
            } else {
                read.write(end, 0, matched);
                matched = next == end[0] ? 1 : 0;
                if (matched == 0) {
                    read.write(next);
                }
            }
        }
        return read.toByteArray();
    }

    private byte next() {
        if (--left < 0) {
            throw new S3Exception(S3Error.MAX_POST_PRE_DATA_LENGTH_EXCEEDED);
        }
        while (!bytes.hasRemaining()) {
            if (!arrives()) {
                throw malformed("The body ends within a field.");
            }
        }
        return bytes.get();
    }

    private boolean arrives() {
        try {
            boolean isMore = source.next();
            bytes = isMore ? source.buffer() : ByteBuffer.allocate(0);
            return isMore;
        } catch (IOException e) {
            throw new S3Exception(
                    S3Error.INCOMPLETE_BODY, "The body did not arrive: " + e.getMessage());
        }
    }

    /**
     * Returns the content of the file, after {@link #fields}. It refuses a file of another length
     * when that is known: EntityTooLarge while it arrives, EntityTooSmall at its end.
     */
    RequestBody file(PostPolicy.Range range) {
        return new File(range);
    }

    private final class File implements RequestBody {
        private final PostPolicy.Range range;
        private byte[] held = new byte[0];
        private ByteBuffer found = ByteBuffer.allocate(0);
        private long length;
        private boolean isEnded;

        File(PostPolicy.Range range) {
            this.range = range;
        }

        @Override
        public boolean next() {
            while (!isEnded) {
                if (!bytes.hasRemaining() && !arrives()) {
                    throw new S3Exception(
                            S3Error.INCOMPLETE_BODY, "The body ends within the file.");
                }
                take();
                if (found.hasRemaining()) {
                    length += found.remaining();
                    range.requireNotAbove(length);
                    return true;
                }
            }
            return false;
        }

        /** Finds what certainly belongs to the file; holds back what may begin the boundary. */
        private void take() {
            byte[] work = Arrays.copyOf(held, held.length + bytes.remaining());
            bytes.get(work, held.length, bytes.remaining());
            int end = indexOfDelimiter(work);
            if (end >= 0) {
                found = ByteBuffer.wrap(work, 0, end);
                held = new byte[0];
                isEnded = true;
                range.requireNotBelow(length + end);
                passRest(work.length - end);
                return;
            }
            int sure = Math.max(0, work.length - delimiter.length + 1);
            found = ByteBuffer.wrap(work, 0, sure);
            held = Arrays.copyOfRange(work, sure, work.length);
        }

        private int indexOfDelimiter(byte[] work) {
            for (int i = 0; i <= work.length - delimiter.length; i++) {
                if (work[i] == delimiter[0]
                        && Arrays.equals(
                                work, i, i + delimiter.length, delimiter, 0, delimiter.length)) {
                    return i;
                }
            }
            return -1;
        }

        /** Passes over what follows the file, which S3 ignores. */
        private void passRest(int count) {
            long rest = count;
            while (rest <= delimiter.length + Limits.FORM_FIELDS_BYTES_MAX && arrives()) {
                rest += bytes.remaining();
            }
            if (rest > delimiter.length + Limits.FORM_FIELDS_BYTES_MAX) {
                throw malformed("Too much follows the file.");
            }
        }

        @Override
        public ByteBuffer buffer() {
            return found;
        }
    }
}
