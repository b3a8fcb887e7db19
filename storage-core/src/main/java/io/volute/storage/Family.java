package io.volute.storage;

/**
 * A named set of records with one key order (bytewise). The layer above owns the list of families.
 * The id is stored on disk and never changes its meaning.
 *
 * @param id 1 to 99
 * @param name lower case letters and dashes; also the name of the column family in the index
 * @param isWalked whether its records are mostly read in ranges rather than one by one
 */
public record Family(int id, String name, boolean isWalked) {
    public Family {
        if (id < 1 || id > 99) {
            throw new IllegalArgumentException("family id out of 1..99: " + id);
        }
        if (!name.matches("[a-z][a-z-]{0,30}")) {
            throw new IllegalArgumentException("bad family name: " + name);
        }
    }

    /** Creates a family whose records are mostly read one by one. */
    public Family(int id, String name) {
        this(id, name, false);
    }
}
