package io.volute.server.http.message;

import io.netty.buffer.ByteBuf;
import io.volute.server.Limits;
import java.util.Arrays;

/**
 * Looks at the raw bytes of a request's head before Netty parses them, and refuses what two parsers
 * could understand differently: bare CR or LF, folded lines, control characters, spaces before a
 * colon, odd request lines; and heads over the limits. Incremental: no byte is looked at twice.
 * Confined to the event loop.
 */
final class HeadScanner {
    private static final byte CR = '\r';
    private static final byte LF = '\n';
    private static final byte[] NOTHING = {};
    private static final int COPIED_BYTES = 1024;
    private static final boolean[] TOKENS = tokens();

    /** Most bytes of a header that a node adds, line end included. */
    private static final int ADDED_BYTES = 256;

    private final int headerBytesMax;
    private final int headersMax;

    /**
     * Bytes looked at since the head began, the same for the current line, and where that began.
     */
    private int scanned;

    private int lineBegin;
    private int headerCount;
    private int headersBegin = -1;

    /**
     * A copy of the head, because access to single bytes of the buffer costs several times as much.
     */
    private byte[] head = NOTHING;

    private int copied;

    /**
     * @param addedHeaders headers that a request may have beyond those of a client
     */
    HeadScanner(int addedHeaders) {
        headerBytesMax = headerBytes(addedHeaders);
        headersMax = Limits.HEADER_COUNT_MAX + addedHeaders;
    }

    /** Returns the most bytes of all header lines. */
    static int headerBytes(int addedHeaders) {
        return Limits.HEADER_BYTES_MAX + addedHeaders * ADDED_BYTES;
    }

    /** Some bytes of a head have arrived. */
    boolean isStarted() {
        return scanned > 0;
    }

    /** Forgets everything: the next byte begins a head. */
    void reset() {
        scanned = 0;
        lineBegin = 0;
        headerCount = 0;
        headersBegin = -1;
        head = NOTHING;
        copied = 0;
    }

    /**
     * Goes on with the bytes that are new.
     *
     * @param in begins at the head's first byte at each call
     * @return whether the whole head is there
     */
    boolean scan(ByteBuf in) throws RefusedException {
        int limit = in.readableBytes();
        while (scanned < limit) {
            if (scanned == copied) {
                copy(in);
            }
            boolean isAfterCr = scanned > lineBegin && head[scanned - 1] == CR;
            byte b = head[scanned];
            if (b == LF) {
                if (!isAfterCr) {
                    throw refused("A line of the request head does not end with CR LF.");
                }
                int bytes = scanned - 1 - lineBegin;
                scanned++;
                if (endLine(lineBegin, bytes)) {
                    return true;
                }
                lineBegin = scanned;
                continue;
            }
            if (isAfterCr) {
                throw refused("The request head has a CR without LF.");
            }
            if (isText(b)) {
                scanText();
            } else if (b == CR) {
                scanned++;
            } else {
                throw refused("The request head has a control character.");
            }
            checkLength();
        }
        return false;
    }

    private void scanText() {
        int at = scanned + 1;
        while (at < copied && isText(head[at])) {
            at++;
        }
        scanned = at;
    }

    /** Returns whether a byte is no control character, except a tab. */
    private static boolean isText(byte b) {
        return b < 0 || b >= 0x20 && b != 0x7F || b == '\t';
    }

    /** Takes the next bytes, and not all that may stand behind the head. */
    private void copy(ByteBuf in) {
        int bytes = Math.min(in.readableBytes() - copied, COPIED_BYTES);
        if (head.length < copied + bytes) {
            head = Arrays.copyOf(head, Math.max(copied + bytes, 2 * head.length));
        }
        in.getBytes(in.readerIndex() + copied, head, copied, bytes);
        copied += bytes;
    }

    /** Refuses as soon as a limit is passed, not only at the line's end. */
    private void checkLength() throws RefusedException {
        if (headersBegin < 0) {
            // A trailing CR is not part of the line, so one byte more may be there.
            if (scanned - lineBegin > Limits.REQUEST_LINE_BYTES_MAX + 1) {
                throw new RefusedException(
                        new Refusal(414, "URITooLong", "The request line is over 8 KiB."));
            }
        } else if (scanned - headersBegin > headerBytesMax + 2) {
            throw tooManyHeaders("The request headers are over " + headerBytesMax / 1024 + " KiB.");
        }
    }

    private boolean endLine(int begin, int bytes) throws RefusedException {
        if (headersBegin < 0) {
            if (bytes > Limits.REQUEST_LINE_BYTES_MAX) {
                throw new RefusedException(
                        new Refusal(414, "URITooLong", "The request line is over 8 KiB."));
            }
            checkRequestLine(begin, bytes);
            headersBegin = scanned;
            return false;
        }
        if (bytes == 0) {
            return true;
        }
        if (++headerCount > headersMax) {
            throw tooManyHeaders("The request has more than " + headersMax + " headers.");
        }
        if (scanned - headersBegin > headerBytesMax) {
            throw tooManyHeaders("The request headers are over " + headerBytesMax / 1024 + " KiB.");
        }
        checkHeaderLine(begin, bytes);
        return false;
    }

    private void checkRequestLine(int begin, int bytes) throws RefusedException {
        int end = begin + bytes;
        int at = begin;
        while (at < end && isUpper(head[at])) {
            at++;
        }
        int method = at - begin;
        if (method == 0 || method > 20 || at == end || head[at] != ' ') {
            throw refused("The request line does not begin with a method and one space.");
        }
        int target = ++at;
        while (at < end && isTarget(head[at])) {
            at++;
        }
        if (at == target || head[target] != '/' && (head[target] | 0x20) != 'h') {
            // Framing takes apart what begins with a scheme.
            throw refused("The request target must begin with a slash, http:// or https://.");
        }
        if (end - at != 9
                || head[at] != ' '
                || head[at + 1] != 'H'
                || head[at + 2] != 'T'
                || head[at + 3] != 'T'
                || head[at + 4] != 'P'
                || head[at + 5] != '/'
                || head[at + 6] != '1'
                || head[at + 7] != '.'
                || head[at + 8] != '0' && head[at + 8] != '1') {
            throw refused(
                    "The request line must be a method, an ASCII target without spaces or"
                            + " fragment, and HTTP/1.0 or HTTP/1.1.");
        }
    }

    private void checkHeaderLine(int begin, int bytes) throws RefusedException {
        int end = begin + bytes;
        int at = begin;
        while (at < end && isToken(head[at])) {
            at++;
        }
        if (at == begin || at == end || head[at] != ':') {
            throw refused("A header line does not begin with a name and a colon.");
        }
    }

    private static boolean isUpper(byte b) {
        return b >= 'A' && b <= 'Z';
    }

    private static boolean isTarget(byte b) {
        return b > ' ' && b < 0x7F && b != '#';
    }

    /** A token character of RFC 9110 section 5.6.2. */
    static boolean isToken(int b) {
        return b >= 0 && b < TOKENS.length && TOKENS[b];
    }

    private static boolean[] tokens() {
        boolean[] tokens = new boolean[0x7F];
        for (char c = '!'; c < tokens.length; c++) {
            boolean isLetterOrDigit =
                    c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z';
            tokens[c] = isLetterOrDigit || "!#$%&'*+-.^_`|~".indexOf(c) >= 0;
        }
        return tokens;
    }

    private static RefusedException tooManyHeaders(String message) {
        return new RefusedException(new Refusal(400, "RequestHeaderSectionTooLarge", message));
    }

    private static RefusedException refused(String message) {
        return new RefusedException(Refusal.malformed(message));
    }
}
