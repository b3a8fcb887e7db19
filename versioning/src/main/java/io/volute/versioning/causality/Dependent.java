package io.volute.versioning.causality;

/**
 * A<sub>i</sub>, the left side of a record A<sub>i</sub> → B<sub>j</sub>.
 *
 * @param version the present version of A
 * @param sessions sessions of the present version; OPEN for a version without a writer yet
 * @param ancestors A's table, which {@link VersioningAlgorithm#offer} keeps up to date
 */
public record Dependent(VersionNode version, Sessions sessions, AncestorTable ancestors) {}
