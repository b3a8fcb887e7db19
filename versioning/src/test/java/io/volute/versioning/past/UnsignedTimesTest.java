package io.volute.versioning.past;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.record.EventKind;
import io.volute.versioning.Signing;
import io.volute.versioning.StoreFixture;
import io.volute.versioning.StoreOptions;
import io.volute.versioning.StoreOptions.ProvenanceSettings;
import io.volute.versioning.StoreSettingsTest;
import io.volute.versioning.TestKeys;
import java.io.IOException;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Periods without signatures, at the beginning or later (docs/format/provenance.md). */
class UnsignedTimesTest extends StoreFixture {
    private Optional<ProvenanceSettings> settings = Optional.empty();

    @Override
    public StoreOptions options(StoreOptions usual) {
        return settings.map(usual::with).orElse(usual);
    }

    private void reopen(boolean signed) throws IOException {
        store.close();
        settings = Optional.of(signed ? TestKeys.settings() : StoreSettingsTest.off());
        store = reopen();
    }

    @Test
    void changesOfThenAreInNoChainAndNoFindings() throws IOException {
        put("before", "one");
        reopen(true);
        put("a", "signed");
        reopen(false);
        put("a", "not signed");
        put("between", "not signed");
        reopen(true);
        assertThat(Signing.findings(store)).isEmpty();
        put("a", "signed again");
        delete("before");
        assertThat(kinds("a"))
                .containsExactly(EventKind.WRITE, EventKind.METADATA, EventKind.WRITE);
        assertThat(kinds("before")).containsExactly(EventKind.DELETE);
        assertThat(kinds("between")).containsExactly(EventKind.METADATA);
        assertThat(Signing.findings(store)).isEmpty();
    }
}
