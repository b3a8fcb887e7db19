/** Making chains: the spiral's links, batches and their trees, summaries, the export's frames. */
package io.volute.provenance.chain;
