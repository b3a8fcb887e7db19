package io.volute.adminapi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.adminapi.CheckApi.Check;
import io.volute.adminapi.CheckApi.Found;
import io.volute.adminapi.CheckApi.Problem;
import io.volute.adminapi.CheckApi.Run;
import io.volute.adminapi.RestoreApi.Restoration;
import io.volute.adminapi.RestoreApi.ToInstant;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class AdminJsonTest {
    private static final Instant AT = Instant.parse("2026-11-20T14:05:00Z");
    private static final Run NONE =
            new Run("none", OptionalLong.empty(), Optional.empty(), Optional.empty());
    private static final Run RUNNING =
            new Run("running", OptionalLong.of(7), Optional.of(AT), Optional.empty());

    private static String text(Object value) {
        return new String(AdminJson.write(value), StandardCharsets.UTF_8);
    }

    private static <T> T read(String json, Class<T> type) throws IOException {
        return AdminJson.read(json.getBytes(StandardCharsets.UTF_8), type);
    }

    @Test
    void writesRunsFlatAndLeavesOutEmptyFields() {
        assertThat(text(new Check("c", NONE, null)))
                .isEqualTo("{\"cube\":\"c\",\"state\":\"none\"}");
    }

    @Test
    void readsRunsBack() throws IOException {
        Check check =
                new Check(
                        "c",
                        RUNNING,
                        new Found(
                                1,
                                2,
                                3,
                                4,
                                5,
                                List.of(new Problem("k", "w", "d", List.of(), 0)),
                                6));
        String json = text(check);
        assertThat(json)
                .isEqualTo(
                        "{\"cube\":\"c\",\"state\":\"running\",\"id\":7,"
                                + "\"started\":\"2026-11-20T14:05:00Z\",\"records\":1,\"blobs\":2,"
                                + "\"segments\":3,\"segmentsTotal\":4,\"bytesRead\":5,\"problems\":"
                                + "[{\"kind\":\"k\",\"where\":\"w\",\"what\":\"d\",\"concerns\":[],"
                                + "\"moreConcerns\":0}],"
                                + "\"moreProblems\":6}");
        assertThat(read(json, Check.class)).isEqualTo(check);
    }

    @Test
    void goalsSayTheirKindFirst() throws IOException {
        Restoration asked =
                new Restoration("b", Optional.of(""), new ToInstant(AT), Optional.of("skip"));
        assertThat(text(asked))
                .isEqualTo(
                        "{\"bucket\":\"b\",\"prefix\":\"\",\"goal\":{\"kind\":\"to-instant\","
                                + "\"instant\":\"2026-11-20T14:05:00Z\"},\"onConflict\":\"skip\"}");
        assertThat(read(text(asked), Restoration.class)).isEqualTo(asked);
    }

    @Test
    void ignoresFieldsOfNewerServersAndTakesThoseMissingFromOlderOnesAsEmpty() throws IOException {
        IdentityApi.User user = read("{\"name\":\"ann\",\"colour\":[1]}", IdentityApi.User.class);
        assertThat(user.groups()).isEmpty();
        assertThat(user.inline()).isEmpty();
        assertThat(read("{\"number\":1}", AuditApi.Checkpoint.class).hash()).isEmpty();
    }

    @Test
    void keepsTheFieldsOfAChange() throws IOException {
        IdentityApi.Change change =
                read("{\"number\":3,\"deed\":\"add\",\"n\":1}", IdentityApi.Change.class);
        assertThat(change.fields()).containsEntry("deed", "add").doesNotContainKey("number");
        assertThat(text(change)).isEqualTo("{\"number\":3,\"deed\":\"add\",\"n\":1}");
    }

    @Test
    void namesWhatCannotBeRead() {
        assertThatThrownBy(() -> read("{\"bytes\":\"many\"}", HistoryApi.State.class))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("not the JSON of State: ");
        assertThatThrownBy(() -> read("{\"code\":\"a\",\"code\":\"b\"}", Failure.class))
                .isInstanceOf(IOException.class);
    }

    @Test
    void fieldsAreThoseThatAreNotEmpty() {
        assertThat(AdminJson.fields(new SpaceApi.CleanRequest(Optional.empty(), "compact")))
                .isEqualTo(Map.of("level", "compact"));
    }
}
