package io.volute.server.auditlog;

import io.volute.provenance.format.Hash;
import io.volute.server.Limits;
import io.volute.server.json.Json;
import io.volute.server.json.VisibleText;
import io.volute.server.s3.request.S3Response.About;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A line of the audit log, as it was read or written: one JSON object, whose last field is the
 * SHA-256 of all before it.
 *
 * <pre>
 *   {"sequence":N,"batch":B, ... ,"previous":"HASH OF THE LINE BEFORE","hash":"HASH"} \n
 *   '------------------- what HASH is over -------------------------'
 * </pre>
 *
 * @param sequence 1 for the first line that there ever was
 * @param batch sequence of the first line that was forced to the disk together with it
 * @param previous hash of the line before; zeros for the first one
 * @param hash of this one
 * @param text all of it, without its end
 */
record AuditLine(long sequence, long batch, Hash previous, Hash hash, byte[] text) {
    private static final String HASH_BEGIN = ",\"hash\":\"";
    private static final String HASH_END = "\"}";
    private static final int TAIL_BYTES = HASH_BEGIN.length() + 64 + HASH_END.length();
    private static final Pattern HEX = Pattern.compile("[0-9a-f]{64}");
    private static final Pattern SECRET =
            Pattern.compile("(?i).*(secret|password|passphrase|private|token).*");

    /** The position of a line in the log. */
    record Place(long sequence, long batch, Hash previous) {}

    /**
     * Makes a line.
     *
     * @param lostBefore number of lines before it that could not be written; 0 is left out
     */
    static AuditLine of(Place place, Instant time, AuditEvent event, long lostBefore) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("sequence", place.sequence());
        line.put("batch", place.batch());
        line.put("time", VisibleText.of(time));
        line.put("event", event.kind().title());
        line.put("requestId", event.requestId());
        About about = event.about();
        line.put("user", cut(about.user()));
        line.put("accessKey", cut(about.accessKey()));
        line.put("session", cut(about.session()));
        line.put("remoteAddress", event.remoteAddress());
        line.put("operation", about.operation());
        line.put("bucket", cut(about.bucket()));
        line.put("outcome", event.outcome());
        line.put("code", about.code());
        line.put("details", bounded(event.details()));
        if (lostBefore > 0) {
            line.put("lostBefore", lostBefore);
        }
        line.put("previous", place.previous().hex());
        byte[] closed = Json.writeVisible(line);
        int hashed = closed.length - 1;
        Hash hash = hash(closed, hashed);
        byte[] tail = (HASH_BEGIN + hash.hex() + HASH_END).getBytes(StandardCharsets.US_ASCII);
        byte[] text = new byte[hashed + tail.length];
        System.arraycopy(closed, 0, text, 0, hashed);
        System.arraycopy(tail, 0, text, hashed, tail.length);
        return new AuditLine(place.sequence(), place.batch(), place.previous(), hash, text);
    }

    /** Returns the details, or their size and hash when they are too large. */
    private static Map<String, Object> bounded(Map<String, ?> details) {
        Map<String, Object> shown = shown(details);
        int bytes = Json.writeVisible(shown).length;
        if (bytes <= Limits.AUDIT_LOG_DETAILS_BYTES_MAX) {
            return shown;
        }
        return Map.of(
                "omittedBytes",
                bytes,
                "omittedSha256",
                Hash.ofContent(Json.writeVisible(details)).hex());
    }

    private static Map<String, Object> shown(Map<?, ?> details) {
        Map<String, Object> shown = new LinkedHashMap<>();
        details.forEach(
                (key, value) -> {
                    String name = cut(String.valueOf(key));
                    boolean isSecret = SECRET.matcher(name).matches();
                    shown.put(name, isSecret ? "withheld" : shown(value));
                });
        return shown;
    }

    private static Object shown(Object value) {
        return switch (value) {
            case Map<?, ?> map -> shown(map);
            case List<?> list -> list.stream().map(AuditLine::shown).toList();
            case Number number -> number;
            case Boolean answer -> answer;
            case Object text -> known(text.toString());
        };
    }

    /** Cuts a long text. Its length and hash identify the original. */
    private static String known(String text) {
        String shown = cut(text);
        return shown.equals(text)
                ? text
                : shown
                        + "... ("
                        + text.length()
                        + " characters, SHA-256 "
                        + Hash.ofContent(text.getBytes(StandardCharsets.UTF_8)).hex()
                        + ")";
    }

    private static String cut(String text) {
        return VisibleText.cut(text, Limits.AUDIT_LOG_TEXT_CHARS_MAX);
    }

    private static Hash hash(byte[] bytes, int length) {
        var digest = Hash.sha256();
        digest.update(bytes, 0, length);
        return Hash.of(digest.digest());
    }

    /**
     * Reads a line and checks its hash.
     *
     * @param text without its end
     * @return empty for anything else
     */
    static Optional<AuditLine> read(byte[] text) {
        int hashed = text.length - TAIL_BYTES;
        if (hashed <= 0) {
            return Optional.empty();
        }
        String tail = new String(text, hashed, TAIL_BYTES, StandardCharsets.ISO_8859_1);
        Hash hash = hash(text, hashed);
        return tail.equals(HASH_BEGIN + hash.hex() + HASH_END)
                ? parsed(text, hash)
                : Optional.empty();
    }

    private static Optional<AuditLine> parsed(byte[] text, Hash hash) {
        try {
            Map<String, Object> fields = Json.read(text);
            return fields.get("sequence") instanceof Long sequence
                            && fields.get("batch") instanceof Long batch
                            && fields.get("previous") instanceof String previous
                            && HEX.matcher(previous).matches()
                            && sequence > 0
                            && batch > 0
                            && batch <= sequence
                    ? Optional.of(new AuditLine(sequence, batch, Hash.ofHex(previous), hash, text))
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Returns all fields of the line. */
    Map<String, Object> fields() {
        try {
            return Json.read(text);
        } catch (IOException e) {
            throw new IllegalStateException("it was read before", e);
        }
    }

    /** Its details, when it is about this. */
    Optional<Map<?, ?>> details(AuditEvent.Kind kind) {
        Map<String, Object> fields = fields();
        return kind.title().equals(fields.get("event"))
                        && fields.get("details") instanceof Map<?, ?> details
                ? Optional.of(details)
                : Optional.empty();
    }
}
