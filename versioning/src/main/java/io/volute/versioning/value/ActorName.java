package io.volute.versioning.value;

/**
 * The name of an actor, with its origin. Names of different kinds never mean the same actor,
 * whatever characters a client chooses. Immutable.
 *
 * @param name without the address, except for kind {@code PROGRAM} in rows before kinds existed
 * @param address of the client, without port; empty when it is absent or unknown
 */
public record ActorName(Kind kind, String name, String address) {
    private static final String SESSION = "session ";

    /** The origin of a name. Ids are on disk: add at the end only. */
    public enum Kind {
        /** The name is in a row of an earlier version, without its origin. */
        UNKNOWN,
        /** The header {@code x-volute-actor}. */
        CHOSEN,
        /** The name of a session. */
        SESSION,
        /** The program that the client names, such as its user agent. */
        PROGRAM,
        /** The server itself, for example a restore. */
        SERVER
    }

    /** Returns a name of unknown origin. */
    public static ActorName of(String name) {
        return new ActorName(Kind.UNKNOWN, name, "");
    }

    /** Returns the name that people use: without the address where it does not belong to it. */
    public String label() {
        return switch (kind) {
            case UNKNOWN, CHOSEN, SERVER -> name;
            case SESSION -> SESSION + name;
            case PROGRAM -> address + " " + name;
        };
    }

    /**
     * Returns the whole identity as one text. Two names have the same text only when they are
     * equal, or one of them is {@code UNKNOWN}: only a chosen name begins with a quotation mark,
     * and an address has no blank.
     */
    public String text() {
        return switch (kind) {
            case UNKNOWN, SERVER, PROGRAM -> label();
            case SESSION -> label() + " " + address;
            case CHOSEN -> quoted(name) + " " + address;
        };
    }

    /** Returns the label, in quotation marks when a client chose it. */
    public String shown() {
        return kind == Kind.CHOSEN ? quoted(name) : label();
    }

    /**
     * Returns whether a person can mean this name by a text. A text in quotation marks means a
     * chosen name, any other text means the label of any kind.
     */
    public boolean isCalled(String text) {
        return label().equals(text)
                || (kind == Kind.CHOSEN || kind == Kind.UNKNOWN) && quoted(name).equals(text);
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
