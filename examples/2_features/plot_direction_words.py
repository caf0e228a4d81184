"""
Read a direction as words
=========================

On text, the features are words, and a direction of a linear reducer is a weight per word. The
words with the largest weights say what the direction is about.
"""

# %%
# A small corpus: each document mixes the words of one or two topics with words that all share.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from labelspan import MDDM

TOPICS = {
    "sports": "match goal team coach league season player score stadium trophy",
    "finance": "bank loan interest market share profit broker fund credit budget",
    "health": "doctor patient drug clinic vaccine symptom nurse trial dose surgery",
    "weather": "rain storm wind cloud forecast flood snow heat drought frost",
}
COMMON = "the report says people week year city new first last more time day two"

vocabulary, common = [words.split() for words in TOPICS.values()], COMMON.split()
rng = np.random.default_rng(0)
texts, Y = [], np.zeros((600, len(TOPICS)), dtype=int)
for row in range(600):
    topics = rng.choice(len(TOPICS), rng.integers(1, 3), replace=False)
    Y[row, topics] = 1
    words = [word for k in topics for word in rng.choice(vocabulary[k], 8)]
    texts.append(" ".join([*words, *rng.choice(common, 25)]))
print(texts[0])

# %%
# TF-IDF gives a sparse matrix, which MDDM takes as it is.
vectorizer = TfidfVectorizer()
X = vectorizer.fit_transform(texts)
reducer = MDDM(3).fit(X, Y)
words = vectorizer.get_feature_names_out()

# %%
# The largest weights at both ends of each direction. A direction contrasts topics: four labels
# need three contrasts. Common words get weights near zero, although they are the most frequent.
figure, axes = plt.subplots(1, 3, figsize=(10, 4), layout="constrained")
for k, axis in enumerate(axes):
    weights = reducer.components_[k]
    ends = np.argsort(weights)[np.r_[:6, -6:0]]
    axis.barh(words[ends], weights[ends], color=np.where(weights[ends] > 0, "C0", "C1"))
    axis.set(title=f"direction {k}", xlabel="weight")
largest = np.abs(reducer.components_).max(axis=0)
print(f"largest weight of a common word {largest[np.isin(words, common)].max():.3f}")
print(f"smallest of a topic's word      {largest[~np.isin(words, common)].min():.3f}")

plt.show()
