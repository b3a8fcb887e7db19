package io.volute.server.http;

import io.netty.buffer.ByteBuf;
import io.volute.server.Limits;

/**
 * Looks at the raw bytes of a request's head before Netty parses them, and refuses what two parsers
 * could understand differently: bare CR or LF, folded lines, control characters, spaces before a
 * colon, odd request lines; and heads over the limits. Incremental: no byte is looked at twice.
 * Confined to the event loop.
 */
final class HeadScanner {
    private static final byte CR = '\r';
    private static final byte LF = '\n';

    /**
     * Bytes looked at since the head began, the same for the current line, and where that began.
     */
    private int scanned;

    private int lineBegin;
    private int headerCount;
    private int headersBegin = -1;

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
    }

    /**
     * Goes on with the bytes that are new.
     *
     * @param in begins at the head's first byte at each call
     * @return whether the whole head is there
     */
    boolean scan(ByteBuf in) throws RefusedException {
        int base = in.readerIndex();
        int limit = in.readableBytes();
        while (scanned < limit) {
            byte b = in.getByte(base + scanned);
            if (b == LF) {
                boolean afterCr = scanned > lineBegin && in.getByte(base + scanned - 1) == CR;
                if (!afterCr) {
                    throw refused("A line of the request head does not end with CR LF.");
                }
                int bytes = scanned - 1 - lineBegin;
                scanned++;
                if (endLine(in, base + lineBegin, bytes)) {
                    return true;
                }
                lineBegin = scanned;
                continue;
            }
            if (scanned > lineBegin && in.getByte(base + scanned - 1) == CR) {
                throw refused("The request head has a CR without LF.");
            }
            if (b != CR) {
                checkByte(b & 0xFF);
            }
            scanned++;
            checkLength();
        }
        return false;
    }

    private static void checkByte(int b) throws RefusedException {
        if (b < 0x20 && b != '\t' || b == 0x7F) {
            throw refused("The request head has a control character.");
        }
    }

    /** Refuses as soon as a limit is passed, not only at the line's end. */
    private void checkLength() throws RefusedException {
        if (headersBegin < 0) {
            // A trailing CR is not part of the line, so one byte more may be there.
            if (scanned - lineBegin > Limits.REQUEST_LINE_BYTES_MAX + 1) {
                throw new RefusedException(
                        new Refusal(414, "URITooLong", "The request line is over 8 KiB."));
            }
        } else if (scanned - headersBegin > Limits.HEADER_BYTES_MAX + 2) {
            throw tooManyHeaders("The request headers are over 16 KiB.");
        }
    }

    private boolean endLine(ByteBuf in, int begin, int bytes) throws RefusedException {
        if (headersBegin < 0) {
            if (bytes > Limits.REQUEST_LINE_BYTES_MAX) {
                throw new RefusedException(
                        new Refusal(414, "URITooLong", "The request line is over 8 KiB."));
            }
            checkRequestLine(in, begin, bytes);
            headersBegin = scanned;
            return false;
        }
        if (bytes == 0) {
            return true;
        }
        if (++headerCount > Limits.HEADER_COUNT_MAX) {
            throw tooManyHeaders(
                    "The request has more than " + Limits.HEADER_COUNT_MAX + " headers.");
        }
        if (scanned - headersBegin > Limits.HEADER_BYTES_MAX) {
            throw tooManyHeaders("The request headers are over 16 KiB.");
        }
        checkHeaderLine(in, begin, bytes);
        return false;
    }

    private static void checkRequestLine(ByteBuf in, int begin, int bytes) throws RefusedException {
        int end = begin + bytes;
        int at = begin;
        while (at < end && isUpper(in.getByte(at))) {
            at++;
        }
        int method = at - begin;
        if (method == 0 || method > 20 || at == end || in.getByte(at) != ' ') {
            throw refused("The request line does not begin with a method and one space.");
        }
        int target = ++at;
        while (at < end && isTarget(in.getByte(at))) {
            at++;
        }
        if (at == target || in.getByte(target) != '/') {
            throw refused("The request target must begin with a slash.");
        }
        if (end - at != 9
                || in.getByte(at) != ' '
                || in.getByte(at + 1) != 'H'
                || in.getByte(at + 2) != 'T'
                || in.getByte(at + 3) != 'T'
                || in.getByte(at + 4) != 'P'
                || in.getByte(at + 5) != '/'
                || in.getByte(at + 6) != '1'
                || in.getByte(at + 7) != '.'
                || in.getByte(at + 8) != '0' && in.getByte(at + 8) != '1') {
            throw refused(
                    "The request line must be a method, an ASCII target without spaces or"
                            + " fragment, and HTTP/1.0 or HTTP/1.1.");
        }
    }

    private static void checkHeaderLine(ByteBuf in, int begin, int bytes) throws RefusedException {
        int end = begin + bytes;
        int at = begin;
        while (at < end && isToken(in.getByte(at))) {
            at++;
        }
        if (at == begin || at == end || in.getByte(at) != ':') {
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
        return b >= '0' && b <= '9'
                || b >= 'A' && b <= 'Z'
                || b >= 'a' && b <= 'z'
                || b > 0 && "!#$%&'*+-.^_`|~".indexOf(b) >= 0;
    }

    private static RefusedException tooManyHeaders(String message) {
        return new RefusedException(new Refusal(400, "RequestHeaderSectionTooLarge", message));
    }

    private static RefusedException refused(String message) {
        return new RefusedException(Refusal.malformed(message));
    }
}
