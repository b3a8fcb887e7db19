package io.volute.storage.index;

/**
 * One sorted table of an index.
 *
 * @param position in {@link IndexSettings#tables}
 * @param name name on disk
 * @param isWalked see {@link io.volute.storage.Family}
 */
public record IndexTable(int position, String name, boolean isWalked) {}
