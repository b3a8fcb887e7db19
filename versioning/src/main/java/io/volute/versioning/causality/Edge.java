package io.volute.versioning.causality;

/**
 * A dependency: a record that no rule discarded.
 *
 * @param dependent A<sub>i</sub>, or A<sub>i+1</sub> when the record froze A<sub>i</sub>
 * @param ancestor B<sub>j</sub>
 */
public record Edge(VersionNode dependent, VersionNode ancestor) {}
