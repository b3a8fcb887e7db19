package io.volute.versioning.catalog;

import io.volute.versioning.rows.ObjectRow;

/** Who writes, as far as history is concerned: decides which replaced states are kept. */
interface CausalWriter {
    /** Keeps nothing and is nobody. */
    CausalWriter NOBODY =
            new CausalWriter() {
                @Override
                public boolean freezes(ObjectRow replaced, long began) {
                    return false;
                }

                @Override
                public boolean keepsAnything() {
                    return false;
                }

                @Override
                public long actor() {
                    return 0;
                }

                @Override
                public long actorVersion() {
                    return 0;
                }
            };

    /**
     * Whether the causal version of this state ends here, so that its last state is kept.
     *
     * @param began sequence with which the causal version began
     */
    boolean freezes(ObjectRow replaced, long began);

    /** Whether there is a policy under which anything is kept. */
    boolean keepsAnything();

    /** Id of the actor, 0 for nobody. */
    long actor();

    long actorVersion();
}
