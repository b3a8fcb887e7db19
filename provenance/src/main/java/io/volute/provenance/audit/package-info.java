/** The audit: what is wrong with a chain, which promise that breaks, and what likely happened. */
package io.volute.provenance.audit;
