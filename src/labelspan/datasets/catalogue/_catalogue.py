"""The benchmark data sets that `load_dataset` knows: statistics, files, pinned addresses."""

from __future__ import annotations

from dataclasses import dataclass

GITHUB_RAW = "https://raw.githubusercontent.com"
MULAN = "tsoumakas/mulan/43f6389095ad71984264db4387a8074b22bc7d4a/data/multi-label"
MLDE = "JiaxuanGood/MLDE/4e8b1f73b9b438a06364326c999808bc5b539371/data"
PMLFS = (
    "peipeilihfut/PMLFS_Partial-Multi-Label-Feature-Selection/"
    "88e0711cfc9fca90abbbc77bf8528617bb1f7645/data"
)


@dataclass(frozen=True)
class DataFile:
    """One file: its name on disk, its address below the base address, its SHA-256.

    The address is repository, commit and path; it is empty for a file that the user must provide.
    """

    name: str
    address: str = ""
    sha256: str = ""


@dataclass(frozen=True)
class Entry:
    """A data set of the catalogue; statistics are those of the whole set, train and test."""

    name: str
    reader: str
    files: tuple[DataFile, ...]
    n_samples: int
    n_features: int
    n_labels: int
    cardinality: float
    n_train: int | None
    citation: str
    ignore: tuple[str, ...] = ()


def _mulan(
    name: str,
    statistics: tuple[int, int, int, float, int],
    hashes: tuple[str, str, str],
    citation: str,
    *,
    folder: str = "",
    stem: str = "",
    suffix: str = "",
    ignore: tuple[str, ...] = (),
) -> Entry:
    """Mulan files: XML, training part, test part, with their SHA-256 in this order."""
    folder, stem = folder or f"{MULAN}/{name}", stem or name
    names = (f"{stem}.xml", f"{stem}-train{suffix}.arff", f"{stem}-test{suffix}.arff")
    files = tuple(
        DataFile(file, f"{folder}/{file}", sha256)
        for file, sha256 in zip(names, hashes, strict=True)
    )
    return Entry(name, "arff", files, *statistics, citation=citation, ignore=ignore)


def _yahoo(topic: str, file: str, statistics: tuple[int, int, float]) -> Entry:
    name = f"yahoo-mlknn-{topic}"
    files = (DataFile(f"{name}.mat", f"{PMLFS}/{file}.mat", YAHOO_FILES[file]),)
    citation = "Ueda and Saito, NIPS 2002; as used by Zhang and Zhou, Pattern Recognition 2007"
    return Entry(name, "mat", files, 5000, *statistics, n_train=2000, citation=citation)


def _brought(
    name: str, statistics: tuple[int, int, int, float, int | None], citation: str
) -> Entry:
    """Describe a data set without a public pinned address."""
    return Entry(name, "npz", (DataFile(f"{name}.npz"),), *statistics, citation=citation)


# Features, labels and labels per row of the Yahoo sets with selected words.
YAHOO_SELECTED = {
    "arts": (462, 26, 1.636),
    "business": (438, 30, 1.588),
    "computers": (681, 33, 1.508),
    "education": (550, 33, 1.461),
    "entertainment": (640, 21, 1.420),
    "health": (612, 32, 1.662),
    "recreation": (606, 22, 1.423),
    "reference": (793, 33, 1.169),
    "science": (743, 40, 1.451),
    "social": (1047, 39, 1.283),
    "society": (636, 27, 1.692),
}
# In the same order: their files' names at the pinned address, and the SHA-256.
YAHOO_FILES = {
    "arts": "978dfa84613f4bacf801f5292a31c7e8a40696b34a9c4c5b3514830d61f160d5",
    "Business": "b91c9069b80ce0e56ec4b018714d252c19c3fe7cfeec70038088647e1c39b00e",
    "Computers": "8cb60b3cabc5f53206d4c18bd77dda2c01301fc0856651f901e593ed4c209b59",
    "education": "d5f9ddaa63060f0a5fc6e5699b687aba7c2c277784761957c517ca0f6355718e",
    "Entertainment": "624bd824ec67786119fe58302a2983a57865f9dcf21d9ba0b8f40469f647a231",
    "Health": "c60fc9fb960bd77a09961d84b29e9fa73a25445452742d5c784ffeae7f64075b",
    "recreation": "1832f4983d4758184fbcda96804d0b1e4cd5e221f956b2ec0776170b516c2177",
    "ref": "01abf568b544e57f0218209e100a9e4bcd3c0940945b295c110913ef42b445c2",
    "science": "05a3d13b24a9024a2cedd43a97b85d955a0ccefd428b78f718babe80feb86121",
    "social": "374d81bd3de6b3e95f4ce2ded61dac6c0298dce866690b73ebb871b5beb2b012",
    "Society": "fe2c60b24712c4fa4d7706c56d88b29d9f686e1ece3853f1f42c310b839648ea",
}
# Rows, features, labels and labels per row of the Yahoo sets with all words, as counts.
YAHOO_WORDS = {
    "arts": (7484, 23146, 26, 1.654),
    "business": (11214, 21924, 30, 1.599),
    "education": (12030, 27534, 33, 1.463),
    "health": (9205, 30605, 32, 1.644),
    "reference": (8027, 39679, 33, 1.174),
    "science": (6428, 37187, 40, 1.450),
}
# Features and labels per row of the RCV1 subsets, and labels per row before the repair.
RCV1 = {
    1: (47236, 2.895),
    2: (47236, 2.890),
    3: (47236, 2.905),
    4: (47229, 2.908),
    5: (47235, 2.905),
}
RCV1_AS_DISTRIBUTED = {1: 2.880, 4: 2.484, 5: 2.642}

ENTRIES = (
    _mulan(
        "emotions",
        (593, 72, 6, 1.868, 391),
        (
            "dbce8e6ccbbb2fcbfd9e9edbb230d7ed12692c6e13f59fdbc0161fa9b6cf2dc0",
            "bbe704106c79bb8fb99c1d1d2e9bde081d6a2daeb01f100862f11fd91a3c1f98",
            "f13d4b746b7b5c8eb484bd751d6ac463d4560dff998a93516a5c1fe35daf6c8f",
        ),
        "Trohidis, Tsoumakas, Kalliris and Vlahavas, ISMIR 2008",
    ),
    _mulan(
        "scene",
        (2407, 294, 6, 1.074, 1211),
        (
            "55d8b247b949ad5c52e5a73d8c6775ec6e5469ce9682465b45b333b68ee4bcc5",
            "b53ba93bdf412de922e3960389bcee24744fa3e872ce610511fc1d750888b64d",
            "ea38d20296b3ff7e220f477a3b802a9bcb2d768881fe6ee163efbc97ea527a42",
        ),
        "Boutell, Luo, Shen and Brown, Pattern Recognition 2004",
    ),
    _mulan(
        "yeast",
        (2417, 103, 14, 4.237, 1500),
        (
            "c3056cc26444b5158b1588d1b73bec9c45429e10f0957ad085903423cb81f247",
            "e759dc991ff54694a4ff9c4314f3be0d6fd2b1994a4b563f57e416394c6aebbd",
            "4aaac102bff9669a765bf0b378602e5cc8c3b181048282e2f003117b496d552a",
        ),
        "Elisseeff and Weston, NIPS 2001",
    ),
    _mulan(
        "enron",
        (1702, 1001, 53, 3.378, 1123),
        (
            "ed40c92d7f613eed51714912cab10dddc4ce456262137d8fef230d44c7f4457b",
            "2988cefc1cdf7a8004a20ef84615cc8fa1b5d7434c16687283b41454e2d9d194",
            "2f3aad54a8f54caaab4ab01246fe9dd385ba944a2633028f52747b57eac5474e",
        ),
        "Read, Pfahringer and Holmes, ICDM 2008; from the Enron corpus of Klimt and Yang 2004",
    ),
    _mulan(
        "medical",
        (978, 1449, 45, 1.245, 333),
        (
            "51fa9d5c09e48caff3f0a0c75db1c9aa85944f8e35451f3ad8bd56fc422286ce",
            "c764f45756ab1c553b8b4eaaf5605a5610a43bbbcf37492d0f1a12bf9c9e2244",
            "6be472e75a6c0b0916187f343a398011b1b26f8f0ddc682c575312ad3532f6c4",
        ),
        "Pestian et al., BioNLP 2007",
    ),
    _mulan(
        "genbase",
        (662, 1185, 27, 1.252, 463),
        (
            "198e8a1d7070e9603119e02e626cedc589db7577339b307b06f5192047b69eb9",
            "37670db2c2b308a1c163d05501819526f1d65d659638ddfb76812d4ce384b5c6",
            "0e988520bedab39aa3f23f08f646c769bcdb6f9119ee298fd92b37127b226a36",
        ),
        "Diplaris, Tsoumakas, Mitkas and Vlahavas, PCI 2005",
        ignore=("protein",),
    ),
    _mulan(
        "bibtex",
        (7395, 1836, 159, 2.402, 4880),
        (
            "08fe20013c1e75dcf1888c185f5187c95e76495b8518ce289b4d3afce38d1232",
            "8dcc9de6e0b2cebaec8c1f4fac78431adeeb73cfd3ab879b530a66d366e59174",
            "9b03329cde64d3f994bdf7fbbac3f3b10fe185c311cb9ae725475f59c7f3f922",
        ),
        "Katakis, Tsoumakas and Vlahavas, ECML PKDD Discovery Challenge 2008",
    ),
    _mulan(
        "corel5k",
        (5000, 499, 374, 3.522, 4500),
        (
            "54ef6a6ccb7ca9b77524052b34b306d5d501661a5609b9d1cc7085b2b597679d",
            "19eb253c447144bea74ffa86b4731a56022addae2ba7d0aab72ad07fdc02e9b3",
            "e8f8e9cd052c43ba7bdfdf99d242f461fc8c2a03163466d921e576887b51d8a7",
        ),
        "Duygulu, Barnard, de Freitas and Forsyth, ECCV 2002",
        stem="Corel5k",
        suffix="-sparse",
    ),
    _mulan(
        "delicious",
        (16105, 500, 983, 19.020, 12920),
        (
            "4e0c0f93c7d86a39b9fca4aaefaa00e9428f2c80277732dfbf03ca48e2c14da2",
            "030186cdb542ebdd32052fcdbb1ebe30115b3a22518c1b4b198c45eb827aebe1",
            "2dfb01723a819914b0ca83361177ed413ce3f2169851d9f228d4692915d63944",
        ),
        "Tsoumakas, Katakis and Vlahavas, ECML PKDD workshop MMD 2008",
    ),
    _mulan(
        "human-go",
        (3106, 9844, 14, 1.185, 2053),
        (
            "13fe2a7b242423a5ad41d5675f13ae17a2dbeb15e4be9e1cdb6319b21a146088",
            "4e9e33b5f13d3ea9fa3bf564a39a1c7048daf9ca4bd693d995a6ad843ad51960",
            "c8aa0921ec9861f4a504a0eb68d1a3d28473c9a0c09fb479b33554a7d104ba6b",
        ),
        "Xu, Liu, Yin and Sun, Pattern Recognition 2016",
        folder=f"{MLDE}/HumanGO",
        stem="HumanGO",
    ),
    _mulan(
        "gnegative-go",
        (1392, 1717, 8, 1.046, 931),
        (
            "3c57bdec353a4d6fae4f7a14dff53c91105c933676b9a3cb1e6330f92285c26a",
            "7ce7b85ec72a17047b7d63ba7124b05a2f485b707b0f66d27eee960d72d55bb4",
            "1ea7502362e594245cd1096b6d9fcc8bfeedce42da8803d4faf53f22bb0c2434",
        ),
        "Xu, Liu, Yin and Sun, Pattern Recognition 2016",
        folder=f"{MLDE}/GnegativeGO",
        stem="GnegativeGO",
    ),
    _mulan(
        "image",
        (2000, 294, 5, 1.236, 1501),
        (
            "b6cc52c29dd2693035c9dcbd6b2f4a3fc2cc8b9d04371bc425860e9383f67817",
            "26bdac46f5eda9aa44adf8496787242a5a9d3cd2c5fa284d36b9d5221e0b92b6",
            "7ae850e486b4490b2fa55a06c0b67f2b5bf5406fbf9f2b80fc78acffa2066a26",
        ),
        "Zhang and Zhou, Pattern Recognition 2007",
        folder=f"{MLDE}/Image",
        stem="Image",
    ),
    *(
        _yahoo(topic, file, statistics)
        for (topic, statistics), file in zip(YAHOO_SELECTED.items(), YAHOO_FILES, strict=True)
    ),
    *(
        _brought(
            f"yahoo-mulan-{topic}", (*statistics, None), "Ueda and Saito, NIPS 2002; Mulan copy"
        )
        for topic, statistics in YAHOO_WORDS.items()
    ),
    _brought(
        "eukaryote-go",
        (7766, 12689, 22, 1.146, 5179),
        "Xu, Liu, Yin and Sun, Pattern Recognition 2016",
    ),
    _brought("slashdot", (3782, 1079, 22, 1.181, None), "Read, University of Waikato 2010"),
    *(
        _brought(
            f"rcv1subset{number}",
            (6000, n_features, 101, cardinality, 3000),
            f"Lewis, Yang, Rose and Li, JMLR 2004; subset {number}, with the halves realigned; "
            "the topics M143 and MCAT are missing",
        )
        for number, (n_features, cardinality) in RCV1.items()
    ),
    *(
        _brought(
            f"rcv1subset{number}-asdistributed",
            (6000, RCV1[number][0], 101, cardinality, None),
            f"Lewis, Yang, Rose and Li, JMLR 2004; subset {number}, DEFECTIVE: misaligned halves",
        )
        for number, cardinality in RCV1_AS_DISTRIBUTED.items()
    ),
)
CATALOGUE = {entry.name: entry for entry in ENTRIES}
