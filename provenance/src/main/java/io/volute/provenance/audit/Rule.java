package io.volute.provenance.audit;

/**
 * A rule of evidence that an audit applies where it knows what the rule needs. The rules that need
 * nothing, such as links and signatures, have no name.
 */
public enum Rule {
    /** Needs the settings of the store at the time of the removal. */
    REMOVALS_FOLLOW_SETTINGS("entries are removed only as the signed settings of then allow"),
    /** Needs a trusted checkpoint that has the chain. */
    TRUSTED_HEADS_STAY("no entry that a trusted checkpoint has as a head is removed"),
    /** Needs a trusted checkpoint and all its heads. */
    KEYS_OF_CHECKPOINT(
            "keys that sign entries after a trusted checkpoint are valid at it, or later"),
    /** Needs the same, and settings with rules 4 at the checkpoint. */
    NOTHING_BEFORE_CHECKPOINT("entries after a trusted checkpoint claim no commit before it"),
    /** Needs a checkpoint. */
    ALGORITHMS_OF_CHECKPOINT("a checkpoint is signed by every algorithm in force at its commit");

    private final String text;

    Rule(String text) {
        this.text = text;
    }

    public String text() {
        return text;
    }
}
