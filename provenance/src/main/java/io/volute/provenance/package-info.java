/** Signed history. Behaviour comes with the provenance issue; nothing is promised here yet. */
package io.volute.provenance;
