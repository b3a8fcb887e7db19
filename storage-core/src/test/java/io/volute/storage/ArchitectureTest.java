package io.volute.storage;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The dependencies that the storage core may have. Think hard before changing this. */
@Tag("slow")
class ArchitectureTest {
    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(new ImportOption.DoNotIncludeTests())
                    .importPackages("io.volute");

    private static final String ROOT = "io.volute.storage";

    /** The packages of this module; each uses only those that follow it. The last is the bottom. */
    private static final List<String> FLOORS =
            List.of(
                    ROOT + ".cube",
                    ROOT + ".recovery",
                    ROOT + ".check",
                    ROOT + ".cleaning",
                    ROOT + ".commit",
                    ROOT + ".blob",
                    ROOT + ".accounting",
                    ROOT + ".rows",
                    ROOT + ".health",
                    ROOT + ".log.file",
                    ROOT + ".log.segment",
                    ROOT + ".log.migration",
                    ROOT + ".log.ledger",
                    ROOT + ".log.space",
                    ROOT + ".log",
                    ROOT + ".index",
                    ROOT + ".memory",
                    ROOT + ".format",
                    ROOT + ".directory",
                    ROOT,
                    ROOT + ".report",
                    ROOT + ".io",
                    ROOT + ".heap");

    /** Opening a cube wires all floors together, so its factory alone reaches up. */
    @Test
    void aPackageUsesOnlyPackagesBelowIt() {
        for (int i = 1; i < FLOORS.size(); i++) {
            noClasses()
                    .that()
                    .resideInAPackage(FLOORS.get(i))
                    .and()
                    .doNotBelongToAnyOf(Cubes.class)
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(FLOORS.subList(0, i).toArray(String[]::new))
                    .check(CLASSES);
        }
    }

    @Test
    void everyPackageHasItsFloor() {
        Set<String> packages = new TreeSet<>();
        for (JavaClass each : CLASSES) {
            if (each.getPackageName().startsWith(ROOT)) {
                packages.add(each.getPackageName());
            }
        }
        assertThat(packages).containsExactlyInAnyOrderElementsOf(FLOORS);
    }

    @Test
    void knowsNothingAbove() {
        noClasses()
                .that()
                .resideInAnyPackage("io.volute.storage..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.volute.versioning..",
                        "io.volute.provenance..",
                        "io.volute.server..",
                        "io.volute.admin..",
                        "io.netty..",
                        "javax.xml..")
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void onlyTheFileLayerTouchesFiles() {
        noClasses()
                .that()
                .resideInAnyPackage("io.volute.storage..")
                .and()
                .resideOutsideOfPackages("io.volute.storage.io..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.nio.channels..")
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void onlyTheFileLayerMakesNativeCalls() {
        noClasses()
                .that()
                .resideInAnyPackage("io.volute.storage..")
                .and()
                .resideOutsideOfPackages("io.volute.storage.io..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("com.sun.jna..")
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void onlyTheIndexKnowsRocksDb() {
        noClasses()
                .that()
                .resideInAnyPackage("io.volute.storage..")
                .and()
                .resideOutsideOfPackages("io.volute.storage.index..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.rocksdb..")
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void formatDoesNoInputOrOutput() {
        noClasses()
                .that()
                .resideInAnyPackage("io.volute.storage.format..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.volute.storage.io..")
                .check(CLASSES);
    }

    @Test
    void theLogDoesNotKnowTheIndex() {
        noClasses()
                .that()
                .resideInAnyPackage("io.volute.storage.log..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.volute.storage.index..")
                .check(CLASSES);
    }
}
