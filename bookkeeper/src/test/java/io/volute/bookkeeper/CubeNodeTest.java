package io.volute.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.volute.bookkeeper.CubeNode.State;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The nodes of a cube in ZooKeeper: their bytes, and the refusals of wrong ones. */
class CubeNodeTest {
    private static final String PATH = "/volute/cubes/default";
    private static final UUID CUBE = UUID.fromString("11111111-2222-4333-8444-555555555555");
    private static final UUID TOKEN = UUID.fromString("66666666-7777-4888-8999-aaaaaaaaaaaa");

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static CubeNode decoded(String text) throws IOException {
        return CubeNode.decode(utf8(text), PATH, 3);
    }

    /** Golden texts: other releases read them. */
    @Test
    void theBytesStayAsTheyAre() throws IOException {
        assertThat(CubeNode.here(CUBE)).isEqualTo(utf8(CUBE.toString()));
        assertThat(decoded(CUBE.toString())).isEqualTo(new CubeNode(State.HERE, CUBE, "", "", 3));
        assertThat(CubeNode.incoming(CUBE)).isEqualTo(utf8("incoming " + CUBE));
        assertThat(decoded("incoming " + CUBE))
                .isEqualTo(new CubeNode(State.INCOMING, CUBE, "", "", 3));
        String left = "left " + CUBE + " " + TOKEN + " 10.0.0.1:9000";
        assertThat(CubeNode.left(CUBE, TOKEN, "10.0.0.1:9000")).isEqualTo(utf8(left));
        assertThat(decoded(left))
                .isEqualTo(new CubeNode(State.LEFT, CUBE, TOKEN.toString(), "10.0.0.1:9000", 3));
    }

    @Test
    void refusesWhatALaterReleaseWrote() {
        for (String text :
                new String[] {"", "cube", "moved " + CUBE, "incoming x", "left " + CUBE}) {
            assertThatThrownBy(() -> decoded(text))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(PATH)
                    .hasMessageContaining("or a later release wrote it")
                    .hasMessageContaining("start that release");
        }
    }

    @Test
    void refusesTheCubeOfAnotherStore() throws IOException {
        CubeNode node = decoded(CUBE.toString());
        assertThatThrownBy(() -> node.require("default", PATH, TOKEN, State.HERE))
                .hasMessageContaining("the cube default is claimed by another store")
                .hasMessageContaining(PATH + " in ZooKeeper has the cube " + CUBE)
                .hasMessageContaining("this data directory " + TOKEN)
                .hasMessageContaining("Choose another log.bookkeeper.path");
    }

    @Test
    void namesThePlaceOfALogThatIsElsewhere() throws IOException {
        CubeNode copied = decoded("incoming " + CUBE);
        assertThatThrownBy(() -> copied.require("default", PATH, CUBE, State.HERE))
                .hasMessageContaining("is being copied to BookKeeper by another server: wait");
        CubeNode left = decoded("left " + CUBE + " " + TOKEN + " 10.0.0.1:9000");
        assertThatThrownBy(() -> left.require("default", PATH, CUBE, State.HERE))
                .hasMessageContaining("for the local disk of the server 10.0.0.1:9000: start that");
    }

    /** The list and the cluster have a format, too. */
    @Test
    void refusesALaterFormatOfTheListAndOfTheCluster() {
        assertThatThrownBy(() -> ListState.decode(utf8("format 2\n1\n1\no\n"), PATH + "/log"))
                .hasMessageContaining(PATH + "/log")
                .hasMessageContaining("another format than 'format 1'")
                .hasMessageContaining("start the release that wrote it, or a later one");
        assertThatThrownBy(() -> ClusterRecord.decode(utf8("format 2\n"), "/volute/cluster", 0))
                .hasMessageContaining("/volute/cluster")
                .hasMessageContaining("a later release runs in this cluster")
                .hasMessageContaining("nothing was changed");
    }
}
