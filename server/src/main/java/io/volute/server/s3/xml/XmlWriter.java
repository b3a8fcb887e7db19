package io.volute.server.s3.xml;

import io.volute.server.s3.request.Allowance;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/**
 * Writes an answer document into memory. Text is escaped as S3 does it: control characters become
 * character references (clients avoid them with {@code encoding-type=url}).
 */
public final class XmlWriter {
    private static final byte[] DECLARATION = ascii("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    private static final byte[] HTML = ascii("<!DOCTYPE html>\n");
    private static final String NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/";

    /** A longer document takes heap of its request beyond what the operation has taken. */
    private static final int FREE_BYTES = 1024 * 1024;

    private final Deque<String> open = new ArrayDeque<>();
    private Allowance allowance = Allowance.UNLIMITED;
    private byte[] out = new byte[512];
    private int count;

    /** A document whose root carries S3's namespace. */
    public static XmlWriter document(String root) {
        XmlWriter writer = new XmlWriter();
        writer.put(DECLARATION);
        writer.markup("<", root, " xmlns=\"" + NAMESPACE + "\">");
        writer.open.push(root);
        return writer;
    }

    /**
     * A document of many entries, likewise. When it grows long, it takes heap of its request.
     *
     * @param allowance of the request; adding to the document may end it with SlowDown
     */
    public static XmlWriter document(String root, Allowance allowance) {
        XmlWriter writer = document(root);
        writer.allowance = allowance;
        return writer;
    }

    /** A document that is one element with text, in S3's namespace. */
    public static byte[] documentWithText(String root, String text) {
        XmlWriter writer = document(root);
        writer.text(text);
        return writer.finish();
    }

    /** A page of HTML whose root is still to be begun. */
    public static XmlWriter html() {
        XmlWriter writer = new XmlWriter();
        writer.put(HTML);
        return writer;
    }

    /** A document whose root is still to be begun. */
    public static XmlWriter plain() {
        XmlWriter writer = new XmlWriter();
        writer.put(DECLARATION);
        return writer;
    }

    /** A document without namespace, as errors are. */
    public static XmlWriter plainDocument(String root) {
        XmlWriter writer = new XmlWriter();
        writer.put(DECLARATION);
        return writer.begin(root);
    }

    /** Opens an element. */
    public XmlWriter begin(String name) {
        markup("<", name, ">");
        open.push(name);
        return this;
    }

    /** Opens an element with attributes, written as given. */
    public XmlWriter beginWith(String name, String attributes) {
        markup("<", name, " " + attributes + ">");
        open.push(name);
        return this;
    }

    /** An element without content; its attributes are written as given. */
    public XmlWriter empty(String name, String attributes) {
        markup("<", name, " " + attributes + "/>");
        return this;
    }

    /** Text in the innermost element. */
    public XmlWriter content(String text) {
        text(text);
        return this;
    }

    /** Closes the innermost element. */
    public XmlWriter end() {
        markup("</", open.pop(), ">");
        return this;
    }

    /** An element with text. */
    public XmlWriter element(String name, String text) {
        markup("<", name, ">");
        text(text);
        markup("</", name, ">");
        return this;
    }

    public XmlWriter element(String name, long value) {
        return element(name, Long.toString(value));
    }

    public XmlWriter element(String name, boolean value) {
        return element(name, value ? "true" : "false");
    }

    /**
     * Writes an element of HTML whose content a browser takes as it stands, such as {@code style}.
     *
     * @param text in ASCII, and constant: nothing in it is escaped
     * @throws IllegalArgumentException if the text could end the element
     */
    public XmlWriter unescaped(String name, String text) {
        if (text.contains("</")) {
            throw new IllegalArgumentException("an end tag in the text of " + name);
        }
        markup("<", name, ">");
        raw(text);
        markup("</", name, ">");
        return this;
    }

    /** Returns the bytes so far. */
    public int bytes() {
        return count;
    }

    /** Closes what is open and returns the document. */
    public byte[] finish() {
        while (!open.isEmpty()) {
            end();
        }
        return Arrays.copyOf(out, count);
    }

    private void markup(String before, String name, String after) {
        raw(before);
        raw(name);
        raw(after);
    }

    private void raw(String ascii) {
        int length = ascii.length();
        reserve(length);
        for (int i = 0; i < length; i++) {
            out[count++] = (byte) ascii.charAt(i);
        }
    }

    private void text(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= 0x80) {
                i = wide(text, i);
                continue;
            }
            switch (c) {
                case '&' -> raw("&amp;");
                case '<' -> raw("&lt;");
                case '>' -> raw("&gt;");
                case '"' -> raw("&quot;");
                default -> {
                    if (c < ' ') {
                        raw("&#" + (int) c + ";");
                    } else {
                        reserve(1);
                        out[count++] = (byte) c;
                    }
                }
            }
        }
    }

    /** Writes the character at an index beyond ASCII; returns the index of its last char. */
    private int wide(String text, int index) {
        char c = text.charAt(index);
        boolean pair =
                Character.isHighSurrogate(c)
                        && index + 1 < text.length()
                        && Character.isLowSurrogate(text.charAt(index + 1));
        if (c == 0xFFFE || c == 0xFFFF) {
            raw("&#" + (int) c + ";");
            return index;
        }
        int last = pair ? index + 1 : index;
        put(text.substring(index, last + 1).getBytes(StandardCharsets.UTF_8));
        return last;
    }

    private void put(byte[] bytes) {
        reserve(bytes.length);
        System.arraycopy(bytes, 0, out, count, bytes.length);
        count += bytes.length;
    }

    private void reserve(int more) {
        if (more > out.length - count) {
            int capacity = Math.max(count + more, 2 * out.length);
            if (capacity > FREE_BYTES) {
                // The old array is garbage when the new one is full: the sum bounds the copies.
                allowance.take(capacity);
            }
            out = Arrays.copyOf(out, capacity);
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
