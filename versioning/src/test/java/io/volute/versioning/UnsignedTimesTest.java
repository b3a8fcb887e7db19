package io.volute.versioning;

import static org.assertj.core.api.Assertions.assertThat;

import io.volute.provenance.record.EventKind;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** What docs/provenance.md says of times in which nothing was signed, before or in between. */
class UnsignedTimesTest extends StoreFixture {
    private boolean isSigned;

    @Override
    StoreOptions options(StoreOptions usual) {
        return isSigned ? usual.with(TestKeys.settings()) : usual;
    }

    private void reopen(boolean signed) throws IOException {
        store.close();
        isSigned = signed;
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
        assertThat(kinds("a")).containsExactly(EventKind.WRITE, EventKind.WRITE);
        assertThat(kinds("before")).containsExactly(EventKind.DELETE);
        assertThat(kinds("between")).isEmpty();
        assertThat(Signing.findings(store)).isEmpty();
    }
}
